import { snakeCase } from '@contract-first/model/resources';
import { isObject, isScalar, type Json, type JsonObject } from '@contract-first/model/values';

const OWNERS = /^(?:author|owner|user|creator|created_by|sender)$/;
const NAMES = ['username', 'login', 'email'];

/** Returns the user in a single resource, such as `/user`: an object with a user name or an e-mail address. */
export function accountIn(state: JsonObject): JsonObject | undefined {
  return [state, ...Object.values(state)].find((one): one is JsonObject => isObject(one) && hasName(one));
}

/** Returns the generated members of a new resource, whose author or owner is the user. */
export function ownedBy(account: JsonObject | undefined, generated: JsonObject): JsonObject {
  if (account === undefined) return generated;
  return Object.fromEntries(
    Object.entries(generated).map(([name, member]) => [
      name,
      OWNERS.test(snakeCase(name)) && isObject(member) && hasName(member) ? withMembersOf(account, member) : member,
    ]),
  );
}

function hasName(value: JsonObject): boolean {
  return NAMES.some((name) => typeof value[name] === 'string');
}

/** Replaces the scalar members that both objects have. */
function withMembersOf(account: JsonObject, owner: JsonObject): JsonObject {
  const valueOf = (name: string, member: Json): Json => {
    const own = account[name];
    return own !== undefined && isScalar(own) && isScalar(member) ? own : member;
  };
  return Object.fromEntries(Object.entries(owner).map(([name, member]) => [name, valueOf(name, member)]));
}
