import { parseJsonTree, SourceDigits, type TextType } from '@contract-first/contract';
import { malformedFailure } from '../failure.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Converts a text to the first type of number, boolean, null and string that the schema and the text allow, and sets
 * the value as a member of an object. Sets nothing when no type matches.
 *
 * @returns the problem, `undefined` on success
 */
export function setScalar(
  holder: object,
  key: string,
  text: string,
  { scalars }: TextType,
  digits: SourceDigits,
): string | undefined {
  const isNumeric = scalars.includes('number') || scalars.includes('integer');
  if (isNumeric && JSON_NUMBER.test(text)) {
    setOwn(holder, key, Number(text));
    digits.record(holder, key, text);
  } else if (scalars.includes('boolean') && (text === 'true' || text === 'false')) setOwn(holder, key, text === 'true');
  else if (scalars.includes('null') && text === 'null') setOwn(holder, key, null);
  else if (scalars.includes('string')) setOwn(holder, key, text);
  else return `must be ${scalars.join(' or ')}`;
  return undefined;
}

/**
 * Converts a text like {@link setScalar}, and parses JSON. A list or an object is JSON where OpenAPI defines no other
 * serialization, for example an object in a list in a query.
 */
export function setValue(
  holder: object,
  key: string,
  text: string,
  type: TextType,
  digits: SourceDigits,
): string | undefined {
  const { items, properties, json = false } = type;
  if (items === undefined && properties === undefined && !json) return setScalar(holder, key, text, type, digits);
  try {
    const value = parseJsonTree(text, digits).root[''];
    // If the schema allows only lists and strings, `1` and `{}` are strings.
    const isPart = Array.isArray(value) ? items !== undefined : properties !== undefined && Object(value) === value;
    if (!isPart && !json && type.scalars.length > 0) return setScalar(holder, key, text, type, digits);
    setOwn(holder, key, value);
    if (typeof value === 'number') digits.record(holder, key, text.trim());
    return undefined;
  } catch {
    return type.scalars.length > 0 && !json ? setScalar(holder, key, text, type, digits) : 'must be valid JSON';
  }
}

/**
 * Returns whether the only text of a value that may be a list is a scalar, not an item: `all`, where a list has numbers or
 * other texts.
 */
export function isLoneScalar(text: string, type: TextType): boolean {
  const { texts = [], items = ANY_TEXT } = type;
  return fits(setScalar, text, type) && (texts.includes(text) || !fits(setValue, text, items));
}

/** Returns whether a text can be converted to a type, and is allowed if it stays a string. */
export function fits(convert: typeof setScalar, text: string, type: TextType): boolean {
  const holder = { '': undefined as unknown };
  const problem = convert(holder, '', text, type, new SourceDigits());
  return problem === undefined && (typeof holder[''] !== 'string' || type.texts?.includes(text) !== false);
}

/** Returns the type of a member of an object; string when the schema has no type for it. */
export function memberType({ properties = {}, additional }: TextType, name: string): TextType {
  return (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? additional ?? ANY_TEXT;
}

/** The type of a text without a schema. */
export const ANY_TEXT: TextType = { scalars: ['string'] };

/** Sets an own property. Assigning to `__proto__` would set the prototype. */
export function setOwn(holder: object, key: string, value: unknown): void {
  if (key !== '__proto__') (holder as Record<string, unknown>)[key] = value;
  else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8.
 *
 * @param subject names the bytes in messages
 * @throws {Failure} 400 for invalid UTF-8, since replacement characters would change the data
 */
export function decodeUtf8(bytes: Buffer, subject = 'the request body'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformedFailure('body', 'must be encoded in UTF-8', subject);
  }
}
