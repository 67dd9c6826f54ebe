/** A normalized decimal number: sign, significant digits and power of ten. Zero has no digits. */
export type Decimal = {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
};

/** Parses the text of a JSON number in linear time, without expanding the exponent. */
export function parseDecimal(number: string): Decimal {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const all = whole + fraction;
  let start = 0;
  while (all.charAt(start) === '0') start += 1;
  // A loop, since /0+$/ restarts at each zero and takes quadratic time.
  let end = all.length;
  while (end > start && all.charAt(end - 1) === '0') end -= 1;
  return {
    isNegative: sign === '-',
    digits: all.slice(start, end),
    exponent: start === end ? 0 : Number(exponent) + whole.length - end,
  };
}

/** Compares two texts of JSON numbers. Returns a negative number, zero or a positive number. */
export function compareNumbers(text: string, other: string): number {
  if (text === other) return 0;
  const [one, two] = [parseDecimal(text), parseDecimal(other)];
  const sign = signOf(one);
  if (sign !== signOf(two) || sign === 0) return sign - signOf(two);
  const magnitude = one.digits.length + one.exponent - two.digits.length - two.exponent;
  // Without leading and trailing zeros, the digits can be compared as text.
  return sign * (magnitude || Number(one.digits > two.digits) - Number(one.digits < two.digits));
}

/** Returns whether two texts of JSON numbers have the same numeric value. */
export function isSameNumber(text: string, other: string): boolean {
  return compareNumbers(text, other) === 0;
}

function signOf({ isNegative, digits }: Decimal): number {
  return digits === '' ? 0 : isNegative ? -1 : 1;
}
