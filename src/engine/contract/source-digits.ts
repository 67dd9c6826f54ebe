/** Records the digits of numbers that a double may have changed. */
export type SourceDigits = {
  /** Records the digits of one member of an object or array. */
  readonly record: (holder: object, key: string, literal: string) => void;
  /** Records the numbers of a whole JSON text, lazily: most requests need no digits. */
  readonly recordText: (value: object, text: string) => void;
  /** Returns the digits of a member; `undefined` when the double is the same integer, or is not an integer. */
  readonly get: (holder: object, key: string) => string | undefined;
};

type Container = Readonly<Record<string, unknown>>;

// A double represents up to 15 decimal digits exactly, unless there is an exponent. The expression also matches digits
// in strings, which only takes the slower path.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;
const EXACT_DIGITS = 15;

/** Creates an empty record of digits. */
export function createSourceDigits(): SourceDigits {
  // For each object and array with inexact numbers, a copy with their digits as strings.
  let copies: Map<object, Record<string, unknown>> | undefined;
  let pending: (readonly [value: object, text: string])[] | undefined;
  return {
    record(holder, key, literal) {
      if (!mayDiffer(literal)) return;
      copies ??= new Map();
      let copy = copies.get(holder);
      if (copy === undefined) copies.set(holder, (copy = Object.create(null) as Record<string, unknown>));
      copy[key] = literal;
    },
    recordText(value, text) {
      if (MAY_LOSE_DIGITS.test(text)) (pending ??= []).push([value, text]);
    },
    get(holder, key) {
      for (const [value, text] of pending ?? []) {
        const quoted = quoteNumbers(text);
        if (quoted === undefined) continue;
        copies ??= new Map();
        collectCopies(value as Container, JSON.parse(quoted) as Container, copies);
      }
      pending = undefined;
      const literal = copies?.get(holder)?.[key];
      return typeof literal === 'string' && typeof (holder as Container)[key] !== 'string' ? literal : undefined;
    },
  };
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

/** Puts quotes around each number of a JSON text that a double may change. Returns `undefined` when there is none. */
function quoteNumbers(text: string): string | undefined {
  let quoted = '';
  let copied = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === MINUS || isDigit(code)) {
      const start = index;
      while (isOfNumber(text.charCodeAt(index + 1))) index += 1;
      const literal = text.slice(start, index + 1);
      if (!mayDiffer(literal)) continue;
      quoted += `${text.slice(copied, start)}"${literal}"`;
      copied = index + 1;
    }
  }
  return copied === 0 ? undefined : quoted + text.slice(copied);
}

const [QUOTE, MINUS, PLUS, DOT, BACKSLASH] = [0x22, 0x2d, 0x2b, 0x2e, 0x5c];

/** Returns the index of the quotation mark that ends a string. */
export function endOfString(text: string, start: number): number {
  let index = start + 1;
  for (let code; (code = text.charCodeAt(index)) !== QUOTE && index < text.length; index += 1) {
    if (code === BACKSLASH) index += 1;
  }
  return index;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === MINUS || code === PLUS || code === 0x65 || code === 0x45; // e, E
}

/** Whether the double of a number literal may differ from its integer. */
function mayDiffer(literal: string): boolean {
  if (literal.length <= EXACT_DIGITS && !/e/i.test(literal)) return false;
  const double = Number(literal);
  // `1e-400` underflows to zero.
  if (!Number.isInteger(double) || double === 0) return double === 0 || !Number.isFinite(double);
  return literal.length > EXACT_DIGITS || !Number.isSafeInteger(double);
}
