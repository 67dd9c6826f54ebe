/*
 * Parses integers. Independent of the engine's code, so that the checks do not share its bugs.
 */

const BEYOND = 2n ** 64n;
// An int64 has 19 digits.
const MAX_DIGITS = 19;

/** Returns whether an integer fits into a signed 64-bit integer. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/**
 * Returns the integer value of a JSON number: 12 for `12`, `12.0` and `1.2e1`.
 *
 * @returns `undefined` for other numbers; ±2^64 for integers with a huge exponent, which would exhaust memory
 */
export function integerOf(digits: string): bigint | undefined {
  const [mantissa = '', exponent = '0'] = digits.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scaled = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length;
  if (scaled === 0n) return 0n;
  if (shift > MAX_DIGITS) return scaled < 0n ? -BEYOND : BEYOND;
  if (shift >= 0) return scaled * 10n ** BigInt(shift);
  if (-shift > mantissa.length) return undefined; // The absolute value is less than one.
  const unit = 10n ** BigInt(-shift);
  return scaled % unit === 0n ? scaled / unit : undefined;
}
