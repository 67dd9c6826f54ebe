import { isArray, isObject, type Json, type JsonObject, partAt } from '@contract-first/model/values';
import type { MockRequest } from '../reply.ts';

/**
 * Reads the members of a resource that a request writes, without files. A body without members, such as a text, writes none.
 *
 * @param place where the resource is in the body, if it is not the whole one
 */
export function readBody({ body }: MockRequest, place: readonly string[]): JsonObject {
  const value = jsonOf(body) ?? null;
  const inside = place.length === 0 ? value : partAt(value, place);
  return isObject(inside) ? inside : isObject(value) ? value : {};
}

/** Merges a patch into a value (RFC 7396). A member that is null stays null where the schema allows that. */
export function mergePatch(value: JsonObject, patch: JsonObject): JsonObject {
  const merged = Object.entries(patch).map(([name, member]): [string, Json] => {
    const part = value[name] ?? null;
    return [name, isObject(member) ? mergePatch(isObject(part) ? part : {}, member) : member];
  });
  return { ...value, ...Object.fromEntries(merged) };
}

/** Returns a value without files; `undefined` for a file. */
export function jsonOf(value: unknown): Json | undefined {
  if (typeof value !== 'object' || value === null) return value as Json | undefined; // Parsed from JSON or a form.
  if (isArray(value as Json)) return (value as readonly unknown[]).flatMap((item) => jsonOf(item) ?? []);
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) return undefined; // A file.
  const members = Object.entries(value).map(([name, member]) => [name, jsonOf(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as JsonObject;
}
