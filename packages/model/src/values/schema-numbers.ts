import { isNumber } from './json-value.ts';
import type { JsonSchemaObject } from './json-schema.ts';

/** The least and the greatest integer of each format. */
export const INTEGER_RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Returns the number of a keyword, if any, rounded to a double. */
export function numberAt(schema: JsonSchemaObject, keyword: string): number | undefined {
  const value = exactNumberAt(schema, keyword);
  return value === undefined ? undefined : Number(value);
}

/** Returns the number of a keyword, if any. */
export function exactNumberAt(schema: JsonSchemaObject, keyword: string): number | bigint | undefined {
  const value = schema[keyword];
  return isNumber(value) ? value : undefined;
}
