import { isObject, rawChild, target, type Place } from './place.ts';

/** Keywords that tell people something and validators nothing. */
export const ANNOTATIONS = new Set([
  '$comment',
  'description',
  'example',
  'examples',
  'externalDocs',
  'summary',
  'title',
]);

/** A JSON value as text that does not depend on the order of its members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, node: unknown) => (isPlainObject(node) ? sorted(node) : node));
}

/** A schema as text: without annotations, references replaced by what they name. */
export function canonicalSchema(place: Place, seen: readonly string[] = []): string {
  const named = target(place);
  // A schema that contains itself is named there; it has no finite text.
  if (named !== undefined) return seen.includes(named.pointer) ? '↺' : canonicalSchema(named, [...seen, named.pointer]);
  if (!isObject(place.value)) return canonical(place.value);
  const names = Object.keys(place.value).filter((name) => Array.isArray(place.value) || !ANNOTATIONS.has(name));
  const members = names.sort().map((name) => {
    const member = rawChild(place, name);
    return `${name}:${member === undefined ? '' : canonicalSchema(member, seen)}`;
  });
  return `{${members.join()}}`;
}

function isPlainObject(node: unknown): node is Readonly<Record<string, unknown>> {
  return isObject(node) && !Array.isArray(node);
}

function sorted(node: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)));
}
