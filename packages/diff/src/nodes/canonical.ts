import { stringifyJson } from '@contract-first/contract';
import { isObject, rawChild, target, type Node } from './node.ts';

/** Keywords that do not affect validation. */
export const ANNOTATIONS = new Set([
  '$comment',
  'description',
  'example',
  'examples',
  'externalDocs',
  'summary',
  'title',
]);

/** Serializes a JSON value independently of the order of its members. */
export function canonical(value: unknown): string {
  return stringifyJson(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** Serializes a schema without annotations, with its references resolved. */
export function canonicalSchema(node: Node, seen: readonly string[] = []): string {
  const named = target(node);
  // A recursive reference becomes a marker, because its text would be infinite.
  if (named !== undefined) return seen.includes(named.pointer) ? '↺' : canonicalSchema(named, [...seen, named.pointer]);
  if (!isObject(node.value)) return canonical(node.value);
  const names = Object.keys(node.value).filter((name) => Array.isArray(node.value) || !ANNOTATIONS.has(name));
  const members = names.sort().map((name) => {
    const member = rawChild(node, name);
    return `${name}:${member === undefined ? '' : canonicalSchema(member, seen)}`;
  });
  return `{${members.join()}}`;
}
