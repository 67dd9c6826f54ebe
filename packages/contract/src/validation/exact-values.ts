import { SCHEMA_KEYWORDS } from './keywords.ts';
import { mapBigints, parseJson, stringifyJson, type JsonTree } from '../json/json.ts';
import { parseDecimal, isSameNumber } from '../json/decimal.ts';

/** The key of the {@link DigitsOf} function on a validated value. */
export const DIGITS = Symbol('digits');

/**
 * Returns the source digits of a number that its double may not represent; `undefined` for other numbers.
 *
 * @param holder the object or list that contains the number
 */
export type DigitsOf = (holder: object, key: string) => string | undefined;

/** A value with the source digits of its numbers. */
export type WithDigits = { readonly [DIGITS]?: DigitsOf };

/** Adds the source digits to the root of a tree, for the keywords that compare numbers. */
export function withDigits({ root, sourceDigits }: JsonTree): { '': unknown } & WithDigits {
  return Object.assign(root, { [DIGITS]: (holder: object, key: string) => sourceDigits.get(holder, key) });
}

/**
 * The keyword for the exact JSON texts of sibling keywords. Documents cannot set it: contracts
 * have no other keyword that begins with `x-`.
 */
const TEXTS = 'x-digits';
type Schema = { readonly [keyword: string]: unknown; readonly [TEXTS]?: Readonly<Record<string, string>> };

/**
 * Replaces the bigints of a schema with doubles, in place, and keeps their digits in `x-digits`: a contract is imported
 * as JSON, whose numbers are doubles. Leaves subschemas unchanged.
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

/** Returns the exact value of a keyword, with bigints for integers that a double may not represent. */
export function exactValue(schema: object, keyword: string): unknown {
  const { [keyword]: value, [TEXTS]: texts } = schema as Schema;
  const text = texts?.[keyword];
  return text === undefined ? value : parseJson(text);
}

/** Returns a canonical key for the text of a JSON number: the double, if it is exact. */
export function numberKey(text: string): number | string {
  const double = Number(text);
  if (isSameNumber(text, String(double))) return double;
  const { isNegative, digits, exponent } = parseDecimal(text);
  return `${isNegative ? '-' : ''}${digits}e${String(exponent)}`;
}
