import { escapePointer } from '@contract-first/contract';
import { resolveReference, type OpenApiDocument } from '@contract-first/documents';

/** A node of a document with its location. */
export type Place = {
  readonly document: OpenApiDocument;
  /** JSON pointer without the `#`. */
  readonly pointer: string;
  readonly value: unknown;
};

/** Corresponding parts of the base and of the revision. */
export type Pair<T = Place> = { readonly base: T; readonly revision: T };

/** Returns the root of a document. */
export function rootOf(document: OpenApiDocument): Place {
  return { document, pointer: '', value: document };
}

/** Returns a child without following its `$ref`; `undefined` when it is absent. */
export function rawChild(place: Place, name: string | number): Place | undefined {
  const value = membersOf(place.value)[name];
  if (value === undefined) return undefined;
  return { ...place, pointer: `${place.pointer}/${escapePointer(String(name))}`, value };
}

/** Returns a child with its references resolved; `undefined` when it is absent. */
export function child(place: Place | undefined, name: string | number): Place | undefined {
  const found = place && rawChild(place, name);
  return found && follow(found);
}

/** Returns the children of an object by name, with references resolved; none for anything else. */
export function children(place: Place | undefined): ReadonlyMap<string, Place> {
  const names = isObject(place?.value) ? Object.keys(place.value) : [];
  return new Map(names.flatMap((name) => [child(place, name)].flatMap((found) => (found ? [[name, found]] : []))));
}

/** Returns the elements of a list without following their `$ref`s; none for anything else. */
export function elements(place: Place | undefined): readonly Place[] {
  const list: readonly unknown[] = Array.isArray(place?.value) ? place.value : [];
  return list.flatMap((_value, index) => (place && rawChild(place, index)) ?? []);
}

/** Returns the target of the `$ref` of a place, which may be a reference too; `undefined` without a `$ref`. */
export function target(place: Place): Place | undefined {
  const { $ref } = membersOf(place.value);
  if (typeof $ref !== 'string') return undefined;
  const reference = decodeURIComponent($ref);
  return { ...place, pointer: reference.slice(1), value: resolveReference(place.document, reference) };
}

/** Returns a string member of a place; `undefined` for anything else. */
export function textAt(place: Place | undefined, name: string): string | undefined {
  const value = membersOf(place?.value)[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns whether a member of a place is `true`. */
export function isSet(place: Place | undefined, name: string): boolean {
  return membersOf(place?.value)[name] === true;
}

/** Returns the members of an object; none for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Returns whether a value is a JSON object or list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function follow(place: Place, seen: ReadonlySet<string> = new Set()): Place {
  const next = target(place);
  return next === undefined || seen.has(next.pointer) ? place : follow(next, new Set([...seen, next.pointer]));
}
