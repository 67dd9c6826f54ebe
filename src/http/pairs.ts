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
  if (text === '') return [];
  const decode = separator === '&' ? decodeForm : decodePercent;
  return text
    .split(separator)
    .map((part) => (separator === ';' ? part.trim() : part))
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const value = at === -1 ? '' : part.slice(at + 1);
      return {
        name: decode(at === -1 ? part : part.slice(0, at)),
        decoded: () => decode(value),
        split: (delimiter) => (value === '' ? [] : value.split(delimiter).map(decode)),
      };
    });
}

function decodeForm(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}

function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure(400, 'a percent-encoding is broken, or does not stand for UTF-8');
  }
}
