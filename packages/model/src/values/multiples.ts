/*
 * Computes multiples. Independent of the engine's code, so that the checks do not share its bugs. JSON numbers are
 * decimal, so 19.99 is a multiple of 0.01, although the quotient of the doubles is 1998.9999999999998.
 */

/** A decimal number: an integer with a number of decimal places; negative for trailing zeros. */
type Scaled = { readonly integer: bigint; readonly places: number };

/** Returns whether a JSON number is a multiple of `multipleOf`. Takes texts, whose doubles must be finite. */
export function isMultipleOf(digits: string, multipleOf: string): boolean {
  const step = scaledOf(multipleOf);
  const { integer, places } = scaledOf(digits);
  if (integer === 0n || step.integer === 0n) return integer === 0n;
  const shift = step.places - places;
  if (shift >= 0) return (integer * 10n ** BigInt(shift)) % step.integer === 0n;
  // The number of trailing zeros is at most the number of digits, which excludes huge exponents.
  return -shift < digits.length && integer % (step.integer * 10n ** BigInt(-shift)) === 0n;
}

/** The multiples of a number in a range. */
export type Multiples = {
  /** The range of factors; empty if `from` is greater than `to`. */
  readonly from: bigint;
  readonly to: bigint;
  readonly multipleAt: (factor: bigint) => number;
};

/** Returns the multiples of a number from a minimum to a maximum. */
export function multiplesIn(multipleOf: number | bigint, min: number, max: number): Multiples {
  const step = scaledOf(String(multipleOf));
  const multipleAt = (factor: bigint): number => Number(`${String(factor * step.integer)}e${String(-step.places)}`);
  return { from: -floorQuotient(-min, step), to: floorQuotient(max, step), multipleAt };
}

/** Returns the smallest positive integer that is a multiple of a number: 5 for 2.5. */
export function integerStep(multipleOf: number | bigint): bigint {
  const { integer, places } = scaledOf(String(multipleOf));
  if (places <= 0) return integer * 10n ** BigInt(-places);
  let [divisor, rest] = [integer, 10n ** BigInt(places)];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return integer / divisor;
}

function floorQuotient(number: number, step: Scaled): bigint {
  const { integer, places } = scaledOf(String(number));
  const common = Math.max(places, step.places);
  const dividend = integer * 10n ** BigInt(common - places);
  const divisor = step.integer * 10n ** BigInt(common - step.places);
  const quotient = dividend / divisor;
  return dividend < 0n && dividend % divisor !== 0n ? quotient - 1n : quotient;
}

function scaledOf(number: string): Scaled {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { integer: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}
