/** A decimal number: its sign, its significant digits and a power of ten, so equal numbers are equal. Zero has no digits. */
export type Decimal = {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
};

/** Reads the text of a JSON number, in linear time, and without writing out its exponent. */
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

/** Whether two texts of JSON numbers are the same number. */
export function isSameNumber(text: string, other: string): boolean {
  if (text === other) return true;
  const [one, two] = [parseDecimal(text), parseDecimal(other)];
  const isSameSign = one.isNegative === two.isNegative || one.digits === '';
  return isSameSign && one.digits === two.digits && one.exponent === two.exponent;
}
