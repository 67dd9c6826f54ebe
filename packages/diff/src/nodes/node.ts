import { escapePointer, stringifyJson } from '@contract-first/contract';
import { METHODS, type OpenApiDocument, resolveReference } from '@contract-first/documents';

/** A node of a document with its location. */
export type Node = {
  readonly document: OpenApiDocument;
  /** The JSON pointer without `#`. */
  readonly pointer: string;
  readonly value: unknown;
};

/** Corresponding parts of the base and the revision. */
export type NodePair<T = Node> = { readonly base: T; readonly revision: T };

/** Returns the root of a document. */
export function rootOf(document: OpenApiDocument): Node {
  return { document, pointer: '', value: document };
}

/** Returns a child without following its `$ref`; `undefined` if it is absent. */
export function rawChild(node: Node, name: string | number): Node | undefined {
  const members = asObject(node.value);
  // A property may be named `toString`.
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (value === undefined) return undefined;
  return { document: node.document, pointer: `${node.pointer}/${escapePointer(String(name))}`, value };
}

/** Returns a child with resolved references; `undefined` if it is absent. */
export function child(node: Node | undefined, name: string | number): Node | undefined {
  const found = node && rawChild(node, name);
  return found && follow(found);
}

/** Returns the children of an object by name, with resolved references; none for other values. */
export function children(node: Node | undefined): ReadonlyMap<string, Node> {
  const names = isObjectOrList(node?.value) ? Object.keys(node.value) : [];
  return new Map(names.flatMap((name) => [child(node, name)].flatMap((found) => (found ? [[name, found]] : []))));
}

/** Returns the elements of a list without following their `$ref`s; none for other values. */
export function elements(node: Node | undefined): readonly Node[] {
  const list: readonly unknown[] = Array.isArray(node?.value) ? node.value : [];
  return list.flatMap((_value, index) => (node && rawChild(node, index)) ?? []);
}

/** Returns the direct target of a node's `$ref`, which may again be a reference; `undefined` without `$ref`. */
export function target(node: Node): Node | undefined {
  const { $ref } = asObject(node.value);
  if (typeof $ref !== 'string') return undefined;
  const reference = decodeURIComponent($ref);
  return { document: node.document, pointer: reference.slice(1), value: resolveReference(node.document, reference) };
}

/** Returns a string member of a node; `undefined` for other values. */
export function textAt(node: Node | undefined, name: string): string | undefined {
  const value = asObject(node?.value)[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns whether a member of a node is `true`. */
export function isTrue(node: Node | undefined, name: string): boolean {
  return asObject(node?.value)[name] === true;
}

/** Returns the members of an object; none for other values. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObjectOrList(value) ? value : {};
}

/** Returns whether a value is a JSON object or list. */
export function isObjectOrList(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function follow(node: Node, seen: ReadonlySet<string> = new Set()): Node {
  const next = target(node);
  return next === undefined || seen.has(next.pointer) ? node : follow(next, new Set([...seen, next.pointer]));
}

/** Returns the operations of a path item by method, including `additionalOperations`. */
export function operationsIn(item: Node): ReadonlyMap<string, Node> {
  const fixed = [...children(item)].filter(([key]) => METHODS.includes(key));
  return new Map([...fixed, ...children(child(item, 'additionalOperations'))]);
}

/** The keywords that do not affect validation. */
export const IGNORED_KEYWORDS = new Set([
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
  if (!isObjectOrList(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** Serializes a schema without annotations, with its references resolved. */
export function canonicalSchema(node: Node, seen: readonly string[] = []): string {
  const named = target(node);
  // A recursive reference becomes a marker to end the recursion.
  if (named !== undefined) return seen.includes(named.pointer) ? '↺' : canonicalSchema(named, [...seen, named.pointer]);
  if (!isObjectOrList(node.value)) return canonical(node.value);
  const names = Object.keys(node.value).filter((name) => Array.isArray(node.value) || !IGNORED_KEYWORDS.has(name));
  const members = names.sort().map((name) => {
    const member = rawChild(node, name);
    return `${name}:${member === undefined ? '' : canonicalSchema(member, seen)}`;
  });
  return `{${members.join()}}`;
}
