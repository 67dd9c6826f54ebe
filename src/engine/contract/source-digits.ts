type Container = Readonly<Record<string, unknown>>;

// A double represents up to 15 decimal digits exactly, unless there is an exponent. The expression also matches digits
// in strings, which only takes the slower path.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;
const EXACT_DIGITS = 15;
const NOTHING: readonly never[] = [];

/** Records the digits of numbers that a double may have changed. */
export class SourceDigits {
  /** For each object and array with inexact numbers, a copy with their digits as strings. */
  #copies: Map<object, Record<string, unknown>> | undefined;
  #pending: (readonly [value: object, text: string])[] | undefined;

  /** Records the digits of one member of an object or array. */
  record(holder: object, key: string, literal: string): void {
    if (!mayDiffer(literal)) return;
    this.#copies ??= new Map();
    let copy = this.#copies.get(holder);
    if (copy === undefined) this.#copies.set(holder, (copy = Object.create(null) as Record<string, unknown>));
    copy[key] = literal;
  }

  /** Records the numbers of a whole JSON text, lazily: most requests need no digits. */
  recordText(value: object, text: string): void {
    if (MAY_LOSE_DIGITS.test(text)) (this.#pending ??= []).push([value, text]);
  }

  /** Returns the digits of a member; `undefined` when the double is the same integer, or is not an integer. */
  get(holder: object, key: string): string | undefined {
    for (const [value, text] of this.#pending ?? NOTHING) {
      this.#copies ??= new Map();
      collectCopies(value as Container, JSON.parse(quoteNumbers(text)) as Container, this.#copies);
    }
    this.#pending = undefined;
    const literal = this.#copies?.get(holder)?.[key];
    return typeof literal === 'string' && typeof (holder as Container)[key] !== 'string' ? literal : undefined;
  }
}

/** Maps each object and array to its copy. The value may have gained members since it was parsed, but has lost none. */
function collectCopies(value: Container, copy: Container, copies: Map<object, Container>): void {
  let hasDigits = false;
  for (const key of Object.keys(copy)) {
    const member = copy[key];
    if (typeof member === 'string') hasDigits ||= typeof value[key] === 'number';
    else if (typeof member === 'object' && member !== null)
      collectCopies(value[key] as Container, member as Container, copies);
  }
  if (hasDigits) copies.set(value, copy);
}

/** Puts quotes around each number of a JSON text that a double may change. */
function quoteNumbers(text: string): string {
  let isString = false;
  return text.replaceAll(/\\[^]|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') isString = !isString;
    return isString || token === '"' || !mayDiffer(token) ? token : `"${token}"`;
  });
}

/** Whether the double of a number literal may differ from its integer. */
function mayDiffer(literal: string): boolean {
  if (literal.length <= EXACT_DIGITS && !/e/i.test(literal)) return false;
  const double = Number(literal);
  // `1e-400` underflows to zero.
  if (!Number.isInteger(double) || double === 0) return double === 0 || !Number.isFinite(double);
  return literal.length > EXACT_DIGITS || !Number.isSafeInteger(double);
}
