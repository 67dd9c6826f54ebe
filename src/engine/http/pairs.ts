import { Failure } from './failure.ts';

/** A name-value pair of a query, a form or a Cookie header. */
export type Pair = {
  readonly name: string;
  /** Returns the value, percent-decoded. */
  readonly decoded: () => string;
  /** Splits the value at each delimiter, and percent-decodes the parts. */
  readonly split: (delimiter: RegExp) => string[];
};

/**
 * Parses pairs such as `a=1&b=2`. A plus sign is a space, except in cookies.
 *
 * @throws {Failure} 400 when a percent-encoding is malformed or not UTF-8
 */
export function parsePairs(text: string, separator: '&' | ';'): Pair[] {
  const pairs: Pair[] = [];
  if (text === '') return pairs;
  const decode = separator === '&' ? decodeForm : decodePercent;
  for (const part of text.split(separator)) {
    const trimmed = separator === ';' ? part.trim() : part;
    if (trimmed !== '') pairs.push(new EncodedPair(trimmed, decode));
  }
  return pairs;
}

/** A pair that decodes on demand. A class, since a body may have 100,000 pairs and closures take twice as long. */
class EncodedPair implements Pair {
  readonly name: string;
  readonly #value: string;
  readonly #decode: (text: string) => string;

  constructor(part: string, decode: (text: string) => string) {
    const equals = part.indexOf('=');
    this.name = decode(equals === -1 ? part : part.slice(0, equals));
    this.#value = equals === -1 ? '' : part.slice(equals + 1);
    this.#decode = decode;
  }

  decoded(): string {
    return this.#decode(this.#value);
  }

  split(delimiter: RegExp): string[] {
    return this.#value === '' ? [] : this.#value.split(delimiter).map(this.#decode);
  }
}

function decodeForm(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure(400, 'percent-encodings must be well-formed UTF-8');
  }
}
