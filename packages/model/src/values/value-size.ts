import type fc from 'fast-check';
import { membersOf, type Json } from './json-value.ts';

/*
 * Limits the size of generated values: even a short schema can require values that exhaust memory. The size is one for
 * each nested value, plus one for every ten characters of texts and names.
 */

const CHARACTERS = 10;

/** The maximum size of a generated value, which takes less than a second and 200 MB. */
export const MAX_VALUE_SIZE = 200_000;

/** An arbitrary with the maximum size of its values. The size of formats is estimated. */
export type Sized<Value> = { readonly arbitrary: fc.Arbitrary<Value>; readonly size: number };

/** Returns the size of a text. */
export function sizeOfText(length: number): number {
  return 1 + sizeOfName(length);
}

/** Returns the size that a name adds to its value. */
export function sizeOfName(length: number): number {
  return Math.floor(length / CHARACTERS);
}

/** Returns the maximum length of a text for a size; negative if there is none. */
export function longestText(size: number): number {
  return size * CHARACTERS - 1;
}

/** Returns the size of a value. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return sizeOfText(value.length);
  return membersOf(value).reduce((sum, [name, part]) => sum + sizeOfName(String(name).length) + sizeOf(part), 1);
}
