import { stringifyJson } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { credentialsFor, isProtected } from '@contract-first/model/requests';
import { identityPlace, shapeOf, snakeCase } from '@contract-first/model/resources';
import { isScalar, type Json, membersOf, partAt, type Place, placesOf } from '@contract-first/model/values';
import { defectOf, type Defect } from '../../judgement/defect.ts';
import { isAsynchronous } from '../../judgement/statuses.ts';
import type { Run } from '../../run/run.ts';
import { hasSameSchema } from '../followed-paths.ts';
import { isSuccessfulStep, sendTo, type Id, type ResourceClient } from '../resource-client.ts';
import type { SequenceStep } from '../sequence-step.ts';
import { checkFlagFilter } from './filters.ts';

/** An operation on a resource, such as `POST /articles/{slug}/favorite`, and the DELETE that undoes it. */
type Action = { readonly act: ApiOperation; readonly undo: ApiOperation };

/** The members that an action changes: booleans that become true, and numbers that grow by one. */
type Effect = { readonly flags: readonly Place[]; readonly counters: readonly Place[] };

const MAX_PLACES = 500;

/**
 * Sends each action on a resource twice, once as a second user, and undoes it. Expects that the effect is read, that a
 * repeated action counts once, that each user counts, and that DELETE restores the members that the action has changed.
 */
export async function checkActions(client: ResourceClient, id: Id): Promise<void> {
  for (const action of actionsOf(client)) await checkAction(client, id, action);
}

/** Finds the actions: a POST or PUT without a required body, one segment below the resource, with a DELETE beside it. */
function actionsOf({ item, operations }: ResourceClient): readonly Action[] {
  return operations.flatMap((act) => {
    const [outer, shape] = [shapeOf(item.path), shapeOf(act.path)];
    const isBelow = shape.startsWith(`${outer}/`) && /^[^/{}]+$/.test(shape.slice(outer.length + 1));
    const undo = operations.find(({ method, path }) => method === 'DELETE' && shapeOf(path) === shape);
    const isPlain = (one: ApiOperation): boolean =>
      !isAsynchronous(one) && one.parameters.every(({ in: place, required }) => place === 'path' || !required);
    const isAction = ['POST', 'PUT'].includes(act.method) && act.requestBody === undefined;
    return isBelow && isAction && undo !== undefined && isPlain(act) && isPlain(undo) ? [{ act, undo }] : [];
  });
}

async function checkAction(client: ResourceClient, id: Id, action: Action): Promise<void> {
  const { item, judge } = client;
  const earlier = await sendTo(client, item.read, id);
  const before = await sendTo(client, item.read, id);
  if (!isSuccessfulStep(earlier) || !isSuccessfulStep(before)) return;
  const first = await sendShown(client, action.act, id);
  if (first === undefined) return;
  const { flags, counters } = effectOf(earlier, before, first);
  if (flags.length + counters.length === 0) {
    judge.expect('action_effects', first, lostFlagOf(client, action, [earlier, before, first]), [before]);
    return;
  }
  if (await isLost(client, id, first, before, { flags, counters })) return;
  for (const flag of flags) await checkFlagFilter(client, id, String(flag.at(-1)), first);
  const again = await sendShown(client, action.act, id);
  const undone = await sendShown(client, action.undo, id);
  if (undone === undefined) return;
  const valuesAt = (place: Place): readonly number[] =>
    [first, again ?? first, undone].map((step) => Number(valueAt(step, place)));

  if (again !== undefined) {
    // Other numbers count requests or versions, which no DELETE reduces.
    const repeated = counters.find((place) => {
      const [once = 0, twice = 0, last = 0] = valuesAt(place);
      return twice === once + 1 && last < twice;
    });
    const isSet = flags.length > 0 && flags.every((place) => valueAt(again, place) === true);
    const defect =
      isSet && repeated
        ? defectOf(
            `the repeated action counts again: ${repeated.join('.')} is ${textAt(again, repeated)}, not ${textAt(first, repeated)}`,
            `the repeated action counts again: ${repeated.join('.')}`,
          )
        : undefined;
    judge.expect('action_effects', again, defect, [first]);
    if (defect !== undefined) return;
  }
  const kept =
    flags.find((place) => valueAt(undone, place) === true) ??
    counters.find((place) => new Set(valuesAt(place)).size === 1);
  const defect =
    kept &&
    defectOf(
      `after its DELETE, ${kept.join('.')} is still ${textAt(undone, kept)}`,
      `its DELETE does not restore ${kept.join('.')}`,
    );
  judge.expect('action_effects', undone, defect, [before]);
  const restored = counters.filter((place) => valueAt(undone, place) === valueAt(before, place));
  if (defect !== undefined || restored.length === 0) return;
  const twice = await sendShown(client, action.undo, id);
  if (twice !== undefined) {
    const lower = restored.find((place) => Number(valueAt(twice, place)) < Number(valueAt(undone, place)));
    judge.expect(
      'action_effects',
      twice,
      lower &&
        defectOf(
          `the repeated DELETE counts again: ${lower.join('.')} is ${textAt(twice, lower)}`,
          `the repeated DELETE counts again: ${lower.join('.')}`,
        ),
    );
    if (lower !== undefined) return;
  }
  await checkOtherUser(client, id, action, restored);
}

/**
 * Returns the defect of an action after which the flag that is named after it is still false, and nothing else differs:
 * `favorite` and `favorited`.
 *
 * @param steps two reads before the action, and the response after it
 */
function lostFlagOf(
  { item, run }: ResourceClient,
  { act }: Action,
  [earlier, before, first]: readonly [SequenceStep, SequenceStep, SequenceStep],
): Defect | undefined {
  const object = identityPlace(first.operation, item, run)?.slice(0, -1);
  if (object === undefined || !haveSameCredentials(first.operation, act, run)) return undefined;
  const [places, others] = [before, first].map(({ json = null }) => placesOf(json, MAX_PLACES));
  const isChanged = (place: Place): boolean => {
    const value = valueAt(before, place);
    return isScalar(value) && value === valueAt(earlier, place) && value !== valueAt(first, place);
  };
  if (places?.length !== others?.length || places?.some(isChanged) !== false) return undefined;
  const members = membersOf(valueAt(first, object)).map(([name]) => String(name));
  const flag = members.find((name) => isNamedAfter(name, act) && valueAt(first, [...object, name]) === false);
  return flag === undefined ? undefined : defectOf(`after the action, ${flag} is still false`);
}

/** Returns whether the last word of a path and a flag have the same stem: `favorite` and `favorited`, `pin` and `pinned`. */
function isNamedAfter(flag: string, { path }: ApiOperation): boolean {
  const stem = snakeCase(path.slice(path.lastIndexOf('/') + 1)).replace(/[ey]$/, '');
  const name = snakeCase(flag).replace(/^is_/, '');
  return stem !== '' && name.startsWith(stem) && /^(?:[ey]?|.?(?:i?ed|ing))$/.test(name.slice(stem.length));
}

/** Reads the resource after an action. Expects the effect in its response. Returns whether the effect is lost. */
async function isLost(
  client: ResourceClient,
  id: Id,
  first: SequenceStep,
  before: SequenceStep,
  { flags, counters }: Effect,
): Promise<boolean> {
  const { item, judge, run } = client;
  if (item.read === undefined || first.operation === item.read) return false;
  const after = await sendTo(client, item.read, id);
  if (!isSuccessfulStep(after)) return false;
  // The flags of another user may differ.
  const places = haveSameCredentials(item.read, first.operation, run) ? [...flags, ...counters] : counters;
  const lost = places.find((place) => valueAt(after, place) === valueAt(before, place));
  const defect =
    lost &&
    defectOf(
      `after the action, ${lost.join('.')} is ${textAt(first, lost)} in its response, but is read as ${textAt(after, lost)}`,
      `the effect of the action is not read: ${lost.join('.')}`,
    );
  judge.expect('action_effects', after, defect, [before, first]);
  return defect !== undefined;
}

function haveSameCredentials(one: ApiOperation, other: ApiOperation, { tokens }: Run): boolean {
  return JSON.stringify(credentialsFor(one, tokens)) === JSON.stringify(credentialsFor(other, tokens));
}

/** Sends the action of both users, and undoes it. Expects that both count, as the first user sees them. */
async function checkOtherUser(
  client: ResourceClient,
  id: Id,
  { act, undo }: Action,
  counters: readonly Place[],
): Promise<void> {
  const { item, judge, run } = client;
  const { tokens, users } = run;
  if (counters.length === 0 || users.otherTokens === undefined || !isProtected(act)) return;
  const [own, others] = [tokens, users.otherTokens].map((one) => JSON.stringify(credentialsFor(act, one)));
  if (own === others) return;
  const other = { ...client, judge: { ...judge, send: judge.sendAsOther } };
  const isActed = isSuccessfulStep(await sendTo(client, act, id));
  const before = await sendTo(client, item.read, id);
  const isCounted = isSuccessfulStep(await sendTo(other, act, id));
  const after = await sendTo(client, item.read, id);
  if (isActed && isSuccessfulStep(before) && isCounted && isSuccessfulStep(after)) {
    const missed = counters.find((place) => Number(valueAt(after, place)) !== Number(valueAt(before, place)) + 1);
    const defect =
      missed &&
      defectOf(
        `after the action of a second user, ${missed.join('.')} is ${textAt(after, missed)}`,
        `the action of a second user does not count: ${missed.join('.')}`,
      );
    judge.expect('action_effects', after, defect, [before]);
  }
  for (const one of [other, client]) await sendTo(one, undo, id);
}

/**
 * Sends a request. Returns the response if it contains the resource, else the response to a read of the resource;
 * `undefined` if a request fails.
 */
async function sendShown(client: ResourceClient, operation: ApiOperation, id: Id): Promise<SequenceStep | undefined> {
  const { read } = client.item;
  const step = await sendTo(client, operation, id);
  if (!isSuccessfulStep(step) || read === undefined) return undefined;
  const shown = step.json !== undefined && hasSameSchema(operation, read) ? step : await sendTo(client, read, id);
  return isSuccessfulStep(shown) ? shown : undefined;
}

/** Compares two equal reads before an action with the response after it. */
function effectOf(earlier: SequenceStep, before: SequenceStep, after: SequenceStep): Effect {
  const places = placesOf(before.json ?? null, MAX_PLACES).filter((place) => {
    const value = partAt(before.json ?? null, place);
    return isScalar(value) && value === valueAt(earlier, place);
  });
  return {
    flags: places.filter((place) => valueAt(before, place) === false && valueAt(after, place) === true),
    counters: places.filter((place) => {
      const [old, value] = [valueAt(before, place), valueAt(after, place)];
      return typeof old === 'number' && typeof value === 'number' && value === old + 1;
    }),
  };
}

function valueAt({ json = null }: SequenceStep, place: Place): Json {
  return partAt(json, place);
}

function textAt(step: SequenceStep, place: Place): string {
  return stringifyJson(valueAt(step, place));
}
