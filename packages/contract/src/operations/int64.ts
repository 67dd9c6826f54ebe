import { parseDecimal } from '../json/decimal.ts';
import type { JsonTree } from '../json/json.ts';
import { NO_VIOLATIONS, type Violation } from './violation.ts';
import { convertAt, type Shape, type Shapes } from './shape.ts';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/**
 * Replaces every int64 in a parsed JSON value with a `bigint`, in place.
 *
 * The validator has already checked the numbers as doubles. This function checks the source digits, which may differ
 * from the double beyond 2^53 and at the ends of the range.
 *
 * @param location the place of the value, such as `body`; empty for an object of several parts
 * @returns the first ten violations; none when every int64 is an integer in range
 */
export function reviveInt64s(
  { root, sourceDigits }: JsonTree,
  shape: Shape | undefined,
  named: Shapes,
  location: string,
): readonly Violation[] {
  if (shape === undefined) return NO_VIOLATIONS;
  return convertAt(root, shape, named, location, {
    applies: isInt64Number,
    // `applies` accepts only numbers.
    convert: (value, _at, report, holder, key) => exact(value as number, sourceDigits.get(holder, String(key)), report),
  });
}

function isInt64Number(value: unknown, { int64 }: Shape): boolean {
  return int64 === true && typeof value === 'number';
}

function exact(double: number, sourceDigits: string | undefined, report: (message: string) => void): bigint | number {
  const isExact = sourceDigits === undefined && Number.isInteger(double);
  const value = isExact ? BigInt(double) : integerOf(sourceDigits ?? String(double));
  if (value !== undefined && MIN <= value && value <= MAX) return value;
  report(value === undefined ? 'must be integer' : `must be between ${String(MIN)} and ${String(MAX)}`);
  return double;
}

/** Returns whether a bigint fits into a signed 64-bit integer. */
export function isInt64(value: bigint): boolean {
  return MIN <= value && value <= MAX;
}

/**
 * Converts the digits of a JSON number to an integer. `1.0` and `1e2` are integers (JSON Schema 2020-12, 6.1.1).
 *
 * @returns `undefined` for a number with a fractional part; ±2^64 for any number with more digits than an int64, since
 *   expanding `1e999999999` would exhaust memory
 */
export function integerOf(sourceDigits: string): bigint | undefined {
  const { isNegative, digits, exponent } = parseDecimal(sourceDigits);
  if (exponent < 0) return undefined;
  const magnitude = digits.length + exponent > 19 ? 2n ** 64n : BigInt(digits + '0'.repeat(exponent));
  return isNegative ? -magnitude : magnitude;
}
