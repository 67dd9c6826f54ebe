import type { ApiOperation } from '@contract-first/model/operations';
import { snakeCase } from '@contract-first/model/resources';
import { isNumber, type JsonObject } from '@contract-first/model/values';

const LEAST_STEM = 3;

/**
 * Returns a resource after an action, such as `POST /articles/{slug}/favorite`: the boolean with the name of the action
 * becomes true, and the number of that name grows by one. DELETE, and actions such as `unfollow`, do the reverse.
 */
export function afterAction({ method, path }: ApiOperation, state: JsonObject): JsonObject {
  const word =
    snakeCase(path.split('/').findLast((part) => part !== '') ?? '')
      .split('_')
      .at(-1) ?? '';
  const negated = word.replace(/^(?:un|de)(?=[a-z]{3})/, '');
  const [verb, isUndone] = flagOf(word, state) === undefined ? [negated, negated !== word] : [word, false];
  const flag = flagOf(verb, state);
  const value = (method !== 'DELETE') !== isUndone;
  if (flag === undefined || state[flag] === value) return state;
  const count = Object.keys(state).find((name) => isCountOf(verb, name) && isNumber(state[name]));
  const counted = count === undefined ? {} : { [count]: Math.max(0, Number(state[count]) + (value ? 1 : -1)) };
  return { ...state, [flag]: value, ...counted };
}

/** Returns the boolean that has the name of an action: `favorited`, `isFavorite` and `favorite` for `favorite`. */
function flagOf(verb: string, state: JsonObject): string | undefined {
  const pattern = new RegExp(`^(?:is_|has_|was_)?${stemOf(verb)}[a-z]{0,4}$`);
  return Object.keys(state).find((name) => typeof state[name] === 'boolean' && pattern.test(snakeCase(name)));
}

/** Returns whether a member counts an action: `likes`, `likeCount`, `followersCount`. */
function isCountOf(verb: string, name: string): boolean {
  return new RegExp(`^${stemOf(verb)}[a-z]{0,4}(?:_count|_total)?$`).test(snakeCase(name));
}

function stemOf(verb: string): string {
  const stem = verb.replace(/(?:ate|[esy])$/, '');
  return stem.length < LEAST_STEM ? verb : stem;
}
