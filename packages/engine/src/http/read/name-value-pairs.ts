import { Failure } from '../failure.ts';

/** A name-value pair of a query, a form or a Cookie header. The value is not decoded. */
export type NameValuePair = { readonly name: string; readonly value: string };

// Parsing a pair blocks the event loop for about a microsecond.
const MAX_PAIRS = 10_000;

/**
 * Parses the pairs of a query or a form: `a=1&b=2`. A plus sign stands for a space.
 *
 * @throws {Failure} 400 when the percent-encoding of a name is malformed or not UTF-8, or there are too many pairs
 */
export function parsePairs(text: string): NameValuePair[] {
  const pairs = splitPairs(text.replaceAll('+', '%20').split('&', MAX_PAIRS + 1));
  return pairs.map(({ name, value }) => ({ name: decodePercent(name), value }));
}

/**
 * Parses the pairs of a Cookie header: `a=1; b=2`. Cookie names are not encoded (RFC 6265, 4.1.1).
 *
 * @throws {Failure} 400 when there are too many pairs
 */
export function parseCookies(header: string): NameValuePair[] {
  return splitPairs(header.split(';', MAX_PAIRS + 1).map((part) => part.trim()));
}

function splitPairs(parts: readonly string[]): NameValuePair[] {
  if (parts.length > MAX_PAIRS) throw new Failure(400, `there are more than ${String(MAX_PAIRS)} name-value pairs`);
  return parts.flatMap((part) => {
    if (part === '') return [];
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    return { name, value: part.slice(name.length + 1) };
  });
}

/**
 * Decodes percent-encoded UTF-8.
 *
 * @throws {Failure} 400 when it is malformed
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure(400, 'percent-encodings must be well-formed UTF-8');
  }
}

/** Decodes the percent-encoding that many clients apply to cookie values. Returns malformed values unchanged. */
export function decodeCookie(text: string): string {
  try {
    return decodePercent(text);
  } catch {
    return text;
  }
}
