/** Remembers the digits of numbers that a double may have changed. */
export type SourceDigits = {
  readonly record: (holder: object, key: string, literal: string) => void;
  /** Notes the numbers of a whole JSON text, once the first literal is asked for: most requests have none to ask. */
  readonly recordText: (value: object, text: string) => void;
  /** The digits that were sent, `undefined` where the double stands for the same integer or for none. */
  readonly get: (holder: object, key: string) => string | undefined;
};

type Container = Readonly<Record<string, unknown>>;

// A double has 15 decimal digits of its own, so fewer digits than this, without an exponent, stand for themselves.
// Digits inside strings are found as well: they only cost the slower way.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;
const OWN_DIGITS = 15;

/** Starts with no digits remembered. */
export function createSourceDigits(): SourceDigits {
  // Each object and array with a number that may have lost digits, with a copy that has strings in their place.
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
        pair(value as Container, JSON.parse(quoted) as Container, copies);
      }
      pending = undefined;
      const literal = copies?.get(holder)?.[key];
      return typeof literal === 'string' && typeof (holder as Container)[key] !== 'string' ? literal : undefined;
    },
  };
}

/** Finds the copy of each object and array. The value may have been given members since, but has lost none. */
function pair(value: Container, copy: Container, copies: Map<object, Container>): void {
  let isNoted = false;
  for (const key of Object.keys(copy)) {
    const member = copy[key];
    if (typeof member === 'string') isNoted ||= typeof value[key] === 'number';
    else if (typeof member === 'object' && member !== null) pair(value[key] as Container, member as Container, copies);
  }
  if (isNoted) copies.set(value, copy);
}

/** A valid JSON text with every number in quotes that a double may change; `undefined` when there is none. */
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

/** The index of the quotation mark that ends a string. */
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

/** Whether a literal may stand for another integer than its double. */
function mayDiffer(literal: string): boolean {
  if (literal.length <= OWN_DIGITS && !/e/i.test(literal)) return false;
  const double = Number(literal);
  // Zero may be what is left of `1e-400`.
  if (!Number.isInteger(double) || double === 0) return double === 0 || !Number.isFinite(double);
  return literal.length > OWN_DIGITS || !Number.isSafeInteger(double);
}
