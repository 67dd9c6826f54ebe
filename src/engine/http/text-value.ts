import type { SourceDigits } from '../contract/literals.ts';
import type { TextType } from '../contract/operation.ts';
import { Failure } from './failure.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Puts the value that a text stands for into an object: the first of number, boolean, null and string that the schema
 * allows and the text can be. A text that can be none of them sets nothing.
 *
 * @returns what is wrong with the text, `undefined` when nothing is
 */
export function setScalar(
  holder: object,
  key: string,
  text: string,
  { scalars }: TextType,
  digits: SourceDigits,
): string | undefined {
  if (scalars.includes('number') && JSON_NUMBER.test(text)) {
    setOwn(holder, key, Number(text));
    digits.record(holder, key, text);
  } else if (scalars.includes('boolean') && (text === 'true' || text === 'false')) setOwn(holder, key, text === 'true');
  else if (scalars.includes('null') && text === 'null') setOwn(holder, key, null);
  else if (scalars.includes('string')) setOwn(holder, key, text);
  else return `must be ${scalars.join(' or ')}`;
  return undefined;
}

/** What a member of an object may be: what the schema says of it, or any text. */
export function memberType({ properties = {}, additional }: TextType, name: string): TextType {
  return (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? additional ?? ANY_TEXT;
}

/** What has no schema stays a string. */
export const ANY_TEXT: TextType = { scalars: ['string'] };

/** Sets an own property whatever its name: plain assignment would take `__proto__` for the prototype. */
export function setOwn(holder: object, key: string, value: unknown): void {
  if (key !== '__proto__') (holder as Record<string, unknown>)[key] = value;
  else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes what a client sent as text.
 *
 * @param what what to call it in a message
 * @throws {Failure} 400 when it is not UTF-8, for replacing what is wrong would store what nobody sent
 */
export function decodeUtf8(bytes: Buffer, what = 'the request body'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failure(400, `${what} must be encoded in UTF-8`);
  }
}
