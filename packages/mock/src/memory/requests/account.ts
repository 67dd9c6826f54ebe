import { snakeCase } from '@contract-first/model/resources';
import {
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  partAt,
  type Place,
  replaceAt,
} from '@contract-first/model/values';

const OWNER = /^(?:author|owner|user|creator|created_by|sender)$/;
const NAMES = ['username', 'login', 'email'];

/** Returns the user in a single resource, such as `/user`: an object with a user name or an e-mail address. */
export function accountIn(state: JsonObject): JsonObject | undefined {
  return [state, ...Object.values(state)].find((one): one is JsonObject => isObject(one) && hasName(one));
}

/** Returns the generated members of a new resource, whose author or owner is the user. */
export function ownedBy(account: JsonObject | undefined, generated: JsonObject): JsonObject {
  if (account === undefined) return generated;
  return Object.fromEntries(Object.entries(generated).map(([name, member]) => [name, owner(name, member, account)]));
}

/** Returns a value in which the user has the members of the account, if the id at a place is the id of the user. */
export function withAccount(account: JsonObject | undefined, value: Json, idPlace: Place): Json {
  const place = idPlace.slice(0, -1);
  const user = partAt(value, place);
  const id = partAt(value, idPlace);
  const isUser = isScalar(id) && account?.[String(idPlace.at(-1))] === id;
  return isUser && isObject(user) && hasName(user) ? replaceAt(value, place, withMembersOf(account, user)) : value;
}

function owner(name: string, member: Json, account: JsonObject): Json {
  const words = snakeCase(name);
  if (!OWNER.test(words.replace(/_id$/, ''))) return member;
  if (words.endsWith('_id')) return account['id'] ?? member;
  return isObject(member) && hasName(member) ? withMembersOf(account, member) : member;
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
