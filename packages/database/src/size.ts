import type { Statement } from './sql.ts';

/** The memory that a waiting item holds beside its data, in bytes: most of it is for the request that brought it. */
export const ITEM_BYTES = 2_048;

/** Returns the memory of a statement, in bytes. */
export function sizeOfStatement({ text, values }: Statement): number {
  return 2 * text.length + sizeOfValues(values);
}

/** Returns the memory of values, in bytes. A character of a string takes up to two. */
export function sizeOfValues(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += 2 * value.length;
    else bytes += value instanceof Uint8Array ? value.length : 8;
  }
  return bytes;
}
