import { keywordValues, type Schema } from '../nodes/schema-reader.ts';

/** The smallest and the largest value of the formats of integers. */
const INTEGER_RANGES: ReadonlyMap<string, { readonly lower: bigint; readonly upper: bigint }> = new Map([
  ...[8n, 16n, 32n, 64n].flatMap((bits) => [
    [`int${String(bits)}`, { lower: -(2n ** (bits - 1n)), upper: 2n ** (bits - 1n) - 1n }] as const,
    [`uint${String(bits)}`, { lower: 0n, upper: 2n ** bits - 1n }] as const,
  ]),
  ['double-int', { lower: 1n - 2n ** 53n, upper: 2n ** 53n - 1n }],
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
): readonly { readonly limit: bigint; readonly format: string }[] {
  return formatsOf(schema).flatMap((format) => {
    const range = INTEGER_RANGES.get(format);
    return range === undefined ? [] : [{ limit: range[side], format }];
  });
}
