import { SCHEMA_KEYWORDS } from './keywords.ts';
import { mapBigints, parseJson, stringifyJson, type JsonTree } from '../json/json.ts';
import { parseDecimal, isSameNumber } from '../json/decimal.ts';

/** The key of the function that returns the digits of the numbers in a checked value. */
export const DIGITS = Symbol('digits');

/**
 * Returns the digits of a number that its double may not have; `undefined` for others.
 *
 * @param holder the object or list that has the number
 */
export type DigitsOf = (holder: object, key: string) => string | undefined;

/** A checked value with the digits of its numbers. */
export type WithDigits = { readonly [DIGITS]?: DigitsOf };

/** Returns an object with a value under the empty name, and with the digits of its numbers, for the keywords that compare them. */
export function withDigits({ root, sourceDigits }: JsonTree): { '': unknown } & WithDigits {
  return Object.assign(root, { [DIGITS]: (holder: object, key: string) => sourceDigits.get(holder, key) });
}

/** The keyword with the JSON texts of keywords beside it. A document cannot set it: schemas of contracts have no extensions. */
const TEXTS = 'x-digits';
type Schema = { readonly [keyword: string]: unknown; readonly [TEXTS]?: Readonly<Record<string, string>> };

/**
 * Replaces the bigints in a schema, but not in its subschemas, by doubles, in place, and keeps their digits. A contract is
 * imported as JSON, whose numbers are doubles.
 */
export function roundBigints(schema: Record<string, unknown>): void {
  const texts: Record<string, string> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const rounded = Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? value : mapBigints(value, Number);
    if (rounded === value) continue;
    schema[keyword] = rounded;
    texts[keyword] = stringifyJson(value);
  }
  if (Object.keys(texts).length > 0) schema[TEXTS] = texts;
}

/** Returns the value of a keyword, with bigints for integers that a double may not hold. */
export function exactValue(schema: object, keyword: string): unknown {
  const { [keyword]: value, [TEXTS]: texts } = schema as Schema;
  const text = texts?.[keyword];
  return text === undefined ? value : parseJson(text);
}

/** Returns a key that texts of the same JSON number have in common: the double, if it is the same number. */
export function numberKey(text: string): number | string {
  const double = Number(text);
  if (isSameNumber(text, String(double))) return double;
  const { isNegative, digits, exponent } = parseDecimal(text);
  return `${isNegative ? '-' : ''}${digits}e${String(exponent)}`;
}
