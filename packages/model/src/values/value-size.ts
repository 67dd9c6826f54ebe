import type fc from 'fast-check';
import { membersOf, type Json } from './json-value.ts';

/*
 * A schema of a few characters can require values that fill the memory. The size of a value is one for each value in it,
 * and one more for every ten characters of a text or a name.
 */

const CHARACTERS = 10;

/** The largest size of a generated value: generating it takes less than a second and 200 MB. */
export const MAX_SIZE = 200_000;

/** An arbitrary and the largest size of its values. The size of formats is estimated. */
export type Sized<Value> = { readonly arbitrary: fc.Arbitrary<Value>; readonly size: number };

/** Returns the size of a text. */
export function sizeOfText(length: number): number {
  return 1 + sizeOfName(length);
}

/** Returns the size that a name adds to the one of its value. */
export function sizeOfName(length: number): number {
  return Math.floor(length / CHARACTERS);
}

/** Returns the length of the longest text of a size; a negative number when there is none. */
export function longestText(size: number): number {
  return size * CHARACTERS - 1;
}

/** Returns the size of a value. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return sizeOfText(value.length);
  return membersOf(value).reduce((sum, [name, part]) => sum + sizeOfName(String(name).length) + sizeOf(part), 1);
}
