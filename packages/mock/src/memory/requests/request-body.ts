import { isArray, isObject, type Json, type JsonObject, objectOrEmpty, partAt } from '@contract-first/model/values';
import type { MockRequest } from '../reply.ts';

/**
 * Returns the resource in a request body, without files; `undefined` without a body.
 *
 * @param place the place of the resource in the body; empty for the whole body
 */
export function readSent({ body }: MockRequest, place: readonly string[]): Json | undefined {
  const value = omitFiles(body);
  const inside = value === undefined || place.length === 0 ? null : partAt(value, place);
  return isObject(inside) ? inside : value;
}

/** Returns the members of the resource in a request body; none for other bodies, such as text. */
export function readSentMembers(request: MockRequest, place: readonly string[]): JsonObject {
  return objectOrEmpty(readSent(request, place));
}

/** Applies a merge patch (RFC 7396), but keeps null members, which the schema may allow. */
export function mergePatch(value: JsonObject, patch: JsonObject): JsonObject {
  const merged = Object.entries(patch).map(([name, member]): [string, Json] => {
    return [name, isObject(member) ? mergePatch(objectOrEmpty(value[name]), member) : member];
  });
  return { ...value, ...Object.fromEntries(merged) };
}

/** Removes files from a value; returns `undefined` for a file. */
export function omitFiles(value: unknown): Json | undefined {
  if (typeof value !== 'object' || value === null) return value as Json | undefined; // Parsed from JSON or a form.
  if (isArray(value as Json)) return (value as readonly unknown[]).flatMap((item) => omitFiles(item) ?? []);
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) return undefined; // A file.
  const members = Object.entries(value).map(([name, member]) => [name, omitFiles(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as JsonObject;
}
