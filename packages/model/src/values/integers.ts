/*
 * The checks' own reading of integers: they must not share a fault with the service that they judge.
 */

const BEYOND = 2n ** 64n;
// An int64 has 19 digits.
const MAX_DIGITS = 19;

/** Whether an integer fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/**
 * Returns the integer that the digits of a JSON number stand for: 12 for `12`, `12.0` and `1.2e1`.
 *
 * @returns `undefined` for other numbers; 2^64 or its negative for an integer that would fill the memory
 */
export function integerOf(digits: string): bigint | undefined {
  const [mantissa = '', exponent = '0'] = digits.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scaled = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length;
  if (scaled === 0n) return 0n;
  if (shift > MAX_DIGITS) return scaled < 0n ? -BEYOND : BEYOND;
  if (shift >= 0) return scaled * 10n ** BigInt(shift);
  if (-shift > mantissa.length) return undefined; // Less than one, also with an enormous exponent.
  const unit = 10n ** BigInt(-shift);
  return scaled % unit === 0n ? scaled / unit : undefined;
}
