import { Failure } from './failure.ts';

/** A name and its value, as queries, forms and cookies have them. */
export type Pair = {
  readonly name: string;
  /** The value with its percent-encoding undone. */
  readonly decoded: () => string;
  /** The parts of the value between delimiters, each with its percent-encoding undone. */
  readonly split: (delimiter: RegExp) => string[];
};

/**
 * Takes `a=1&b=2` apart. A plus sign is a space, except in cookies.
 *
 * @throws {Failure} 400 when a percent-encoding is broken or does not stand for UTF-8
 */
export function parsePairs(text: string, separator: '&' | ';'): Pair[] {
  const pairs: Pair[] = [];
  if (text === '') return pairs;
  const decode = separator === '&' ? decodeForm : decodePercent;
  for (const sent of text.split(separator)) {
    const part = separator === ';' ? sent.trim() : sent;
    if (part !== '') pairs.push(new EncodedPair(part, decode));
  }
  return pairs;
}

/** A class, for a body may have hundreds of thousands of them: objects with functions of their own take twice as long. */
class EncodedPair implements Pair {
  readonly name: string;
  readonly #value: string;
  readonly #decode: (text: string) => string;

  constructor(part: string, decode: (text: string) => string) {
    const at = part.indexOf('=');
    this.name = decode(at === -1 ? part : part.slice(0, at));
    this.#value = at === -1 ? '' : part.slice(at + 1);
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
    throw new Failure(400, 'a percent-encoding is broken, or does not stand for UTF-8');
  }
}
