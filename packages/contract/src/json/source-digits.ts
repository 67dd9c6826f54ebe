import { isSameNumber } from './decimal.ts';
import { scanJson } from './json-scan.ts';

// A double represents up to 15 decimal digits exactly, unless there is an exponent. The expression also matches digits
// in strings, which only takes the slower path.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;
const EXACT_DIGITS = 15;
const NOTHING: readonly never[] = [];

/** Records the digits of numbers that a double may have changed. */
export class SourceDigits {
  /** By object or array, and by key. */
  #digits: Map<object, Map<string, string>> | undefined;
  #pending: (readonly [value: object, text: string])[] | undefined;

  /** Records the digits of one member of an object or array. */
  record(holder: object, key: string, literal: string): void {
    if (mayDiffer(literal)) this.#set(holder, key, literal);
  }

  /** Records the numbers of a whole JSON text, lazily: most requests need no digits. */
  recordText(value: object, text: string): void {
    if (MAY_LOSE_DIGITS.test(text)) (this.#pending ??= []).push([value, text]);
  }

  /** Returns the digits of a member; `undefined` when its double is the same number. */
  get(holder: object, key: string): string | undefined {
    for (const [value, text] of this.#pending ?? NOTHING) this.#collect(value, text);
    this.#pending = undefined;
    const literal = this.#digits?.get(holder)?.get(key);
    return typeof (holder as Readonly<Record<string, unknown>>)[key] === 'number' ? literal : undefined;
  }

  #set(holder: object, key: string, literal: string): void {
    this.#digits ??= new Map();
    const members = this.#digits.get(holder);
    if (members === undefined) this.#digits.set(holder, new Map([[key, literal]]));
    else members.set(key, literal);
  }

  /** Records the numbers of a text. Where a name is repeated, only its last member counts, as in the value. */
  #collect(value: object, text: string): void {
    scanJson(text, value, {
      enter: (holder) => {
        this.#digits?.delete(holder);
      },
      member: (holder, key, literal) => {
        if (literal !== undefined && mayDiffer(literal)) this.#set(holder, key(), literal);
        else this.#digits?.get(holder)?.delete(key());
      },
    });
  }
}

/** Whether the double of a number literal may be another number. */
function mayDiffer(literal: string): boolean {
  if (literal.length <= EXACT_DIGITS && !literal.includes('e') && !literal.includes('E')) return false;
  const double = Number(literal);
  if (Number.isInteger(double) && double !== 0) return literal.length > EXACT_DIGITS || !Number.isSafeInteger(double);
  // `1e400` overflows, and `1e-400` underflows to zero.
  return !Number.isFinite(double) || !isSameNumber(literal, String(double));
}
