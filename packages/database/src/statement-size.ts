import type { Statement } from './sql.ts';

/** The memory of a waiting item besides its data, in bytes; most of it belongs to its request. */
export const ITEM_BYTES = 2_048;

/** Returns the memory size of a statement, in bytes. */
export function sizeOfStatement({ text, values }: Statement): number {
  return 2 * text.length + sizeOfValues(values);
}

/** Returns the memory size of values, in bytes. Counts two bytes for each character of a string. */
export function sizeOfValues(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += 2 * value.length;
    else bytes += value instanceof Uint8Array ? value.length : 8;
  }
  return bytes;
}
