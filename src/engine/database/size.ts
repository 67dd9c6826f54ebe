import type { Statement, Value } from './sql.ts';

// The memory of a waiting item, in bytes.

export function sizeOfRow(row: Readonly<Record<string, Value>>): number {
  let bytes = 0;
  for (const name in row) bytes += sizeOfValue(row[name] ?? null);
  return bytes;
}

export function sizeOfStatements(statements: readonly Statement[]): number {
  return statements.reduce(
    (bytes, { text, values }) =>
      values.reduce<number>((sum, value) => sum + sizeOfValue(value), bytes + 2 * text.length),
    0,
  );
}

/** A character of a string takes up to two bytes. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  return value instanceof Uint8Array ? value.length : 8;
}
