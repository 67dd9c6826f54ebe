import { escapePointer, resolveReference } from '../contract/reference.ts';
import type { OpenApiDocument } from '../contract/load.ts';

/** A node of a document, and where it is. */
export type Place = {
  readonly document: OpenApiDocument;
  /** JSON pointer without the `#`. */
  readonly pointer: string;
  readonly value: unknown;
};

/** Two nodes that stand for the same thing in the older and the newer document. */
export type Pair<T = Place> = { readonly base: T; readonly revision: T };

/** The document itself as a place. */
export function rootOf(document: OpenApiDocument): Place {
  return { document, pointer: '', value: document };
}

/** A child as it is written, `$ref` and all; `undefined` where there is none. */
export function rawChild(place: Place, name: string | number): Place | undefined {
  const value = membersOf(place.value)[name];
  if (value === undefined) return undefined;
  return { ...place, pointer: `${place.pointer}/${escapePointer(String(name))}`, value };
}

/** A child with its references followed to the end; `undefined` where there is none. */
export function child(place: Place | undefined, name: string | number): Place | undefined {
  const found = place && rawChild(place, name);
  return found && follow(found);
}

/** The children of an object by name, references followed; none where the place is absent or no object. */
export function children(place: Place | undefined): ReadonlyMap<string, Place> {
  const names = isObject(place?.value) ? Object.keys(place.value) : [];
  return new Map(names.flatMap((name) => [child(place, name)].flatMap((found) => (found ? [[name, found]] : []))));
}

/** The elements of a list as they are written. */
export function elements(place: Place | undefined): readonly Place[] {
  const list: readonly unknown[] = Array.isArray(place?.value) ? place.value : [];
  return list.flatMap((_value, index) => (place && rawChild(place, index)) ?? []);
}

/** What the `$ref` of a place names, followed once; `undefined` where it has none. */
export function target(place: Place): Place | undefined {
  const { $ref } = membersOf(place.value);
  if (typeof $ref !== 'string') return undefined;
  const reference = decodeURIComponent($ref);
  return { ...place, pointer: reference.slice(1), value: resolveReference(place.document, reference) };
}

/** A text that is a direct member of a place. */
export function textAt(place: Place | undefined, name: string): string | undefined {
  const value = membersOf(place?.value)[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a place has a member that is `true`. */
export function isSet(place: Place | undefined, name: string): boolean {
  return membersOf(place?.value)[name] === true;
}

/** The members of an object; none for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Whether a value is a JSON object or list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function follow(place: Place, seen: ReadonlySet<string> = new Set()): Place {
  const next = target(place);
  return next === undefined || seen.has(next.pointer) ? place : follow(next, new Set([...seen, next.pointer]));
}
