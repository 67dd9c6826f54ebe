import { keywordValues, type Schema } from './schema-reader.ts';

/** The smallest and the largest value of the formats of integers. */
const INTEGER_RANGES: ReadonlyMap<string, { readonly lower: number; readonly upper: number }> = new Map([
  ...[8, 16, 32, 64].flatMap((bits) => [
    [`int${String(bits)}`, { lower: -(2 ** (bits - 1)), upper: 2 ** (bits - 1) - 1 }] as const,
    [`uint${String(bits)}`, { lower: 0, upper: 2 ** bits - 1 }] as const,
  ]),
  ['double-int', { lower: Number.MIN_SAFE_INTEGER, upper: Number.MAX_SAFE_INTEGER }],
]);

/** Formats that exclude no value: the numbers of JSON are doubles, and `password` only hides what is typed. */
const FREE: readonly string[] = ['double', 'password'];

/** Returns the formats of a schema, sorted. */
export function formatsOf(schema: Schema): readonly string[] {
  return [...new Set(keywordValues(schema, 'format').map(String))].sort();
}

/**
 * Returns the formats of a schema that exclude values in another way than by a range, as one text.
 *
 * @param isIntegral whether only integers are compared, for which some formats are ranges
 */
export function restrictionOf(schema: Schema, isIntegral: boolean): string {
  const formats = formatsOf(schema).filter((format) => !FREE.includes(format));
  return formats.filter((format) => !(isIntegral && INTEGER_RANGES.has(format))).join(' and ');
}

/** Returns the limits that the formats of an integer set, with their names. */
export function formatLimits(
  schema: Schema,
  side: 'lower' | 'upper',
): readonly { readonly limit: number; readonly format: string }[] {
  return formatsOf(schema).flatMap((format) => {
    const range = INTEGER_RANGES.get(format);
    return range === undefined ? [] : [{ limit: range[side], format }];
  });
}
