/*
 * Compares JSON numbers, which are decimal. Independent of the engine's code, so that the checks do not share its bugs.
 */

/** A normalized decimal number: a fraction between 0.1 and 1, times a power of ten. Zero has no digits. */
type Scientific = { readonly sign: number; readonly digits: string; readonly power: number };

/** Compares the texts of two JSON numbers. Returns a negative number, zero or a positive number. */
export function compareDecimals(text: string, otherText: string): number {
  const [one, other] = [scientificOf(text), scientificOf(otherText)];
  if (one.sign !== other.sign) return one.sign - other.sign;
  const difference = one.power === other.power ? (one.digits < other.digits ? -1 : 1) : one.power - other.power;
  return one.power === other.power && one.digits === other.digits ? 0 : difference * one.sign;
}

/** Returns a canonical text, which is the same for equal numbers. */
export function canonicalDecimal(text: string): string {
  const double = String(Number(text));
  if (text === double || compareDecimals(text, double) === 0) return double;
  const { sign, digits, power } = scientificOf(text);
  return `${String(sign)}*0.${digits}e${String(power)}`;
}

function scientificOf(text: string): Scientific {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = Array.from(whole + fraction);
  const first = digits.findIndex((digit) => digit !== '0');
  if (first < 0) return { sign: 0, digits: '', power: 0 };
  const last = digits.findLastIndex((digit) => digit !== '0');
  return {
    sign: text.startsWith('-') ? -1 : 1,
    digits: digits.slice(first, last + 1).join(''),
    power: whole.length - first + Number(exponent),
  };
}
