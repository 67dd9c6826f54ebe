import { isSameNumber } from './decimal.ts';

// A double represents up to 15 decimal digits exactly, unless there is an exponent. The expression may also match
// digits in strings; then the text is scanned needlessly.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;
const EXACT_DIGITS = 15;
const NOTHING: readonly never[] = [];

/** Records the digits of numbers that a double may have changed. */
export class SourceDigits {
  /** The digits by object or array, and by key. */
  #digits: Map<object, Map<string, string>> | undefined;
  #pending: (readonly [value: object, text: string])[] | undefined;

  /** Whether no digits were recorded. */
  get isEmpty(): boolean {
    return this.#digits === undefined && this.#pending === undefined;
  }

  /** Records the digits of one member of an object or array. */
  record(holder: object, key: string, literal: string): void {
    if (mayDiffer(literal)) this.#set(holder, key, literal);
  }

  /** Records the numbers of a JSON text, lazily, since most requests need no digits. */
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

  /** Records the numbers of a text. For repeated names, the last member wins, as in `JSON.parse`. */
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

/** Returns whether the double of a number literal may differ from it. */
function mayDiffer(literal: string): boolean {
  if (literal.length <= EXACT_DIGITS && !literal.includes('e') && !literal.includes('E')) return false;
  const double = Number(literal);
  if (Number.isInteger(double) && double !== 0) return literal.length > EXACT_DIGITS || !Number.isSafeInteger(double);
  // `1e400` overflows, and `1e-400` underflows to zero.
  return !Number.isFinite(double) || !isSameNumber(literal, String(double));
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20; // The last of the whitespace characters.

type Container = Readonly<Record<string, unknown>>;

/** Receives the objects and arrays of a value and their members, in the order of the text. */
type JsonVisitor = {
  readonly enter: (holder: object) => void;
  /** @param literal the text of a number, boolean or null; `undefined` for other members */
  readonly member: (holder: object, key: () => string, literal: string | undefined) => void;
};

/**
 * Scans a valid JSON text together with the object or array parsed from it, which is several times faster than parsing
 * the text again. Visits every member with a repeated name, although the value contains only the last one, but no parts
 * of the text that are absent from the value.
 */
function scanJson(text: string, root: object, { enter, member }: JsonVisitor): void {
  let at = 0;
  let name: string | undefined;
  let nameStart = 0;
  let nameEnd = 0;
  let index = 0;
  const key = (): string => (name ??= nameEnd === 0 ? String(index) : decodeName(text, nameStart, nameEnd));
  skipTo(SPACE);
  visit(root);

  /** Skips whitespace and separators. Returns the next character code. */
  function skipTo(separator: number): number {
    let code = text.charCodeAt(at);
    while (code <= SPACE || code === separator) code = text.charCodeAt((at += 1));
    return code;
  }

  /** Visits the object or array whose text begins at the current position. */
  function visit(value: unknown): void {
    const holder = typeof value === 'object' && value !== null ? value : undefined;
    const isArray = text.charCodeAt(at) === OPEN_ARRAY;
    at += 1;
    if (holder !== undefined) enter(holder);
    for (let position = 0; ; position += 1) {
      let code = skipTo(COMMA);
      if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) break;
      name = undefined;
      index = position;
      nameEnd = 0;
      if (!isArray) {
        nameStart = at;
        at = nameEnd = endOfString(text, at) + 1;
        code = skipTo(COLON);
      }
      if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
        if (holder !== undefined) member(holder, key, undefined);
        visit(holder !== undefined && Object.hasOwn(holder, key()) ? (holder as Container)[key()] : undefined);
      } else if (code === QUOTE) {
        at = endOfString(text, at) + 1;
        if (holder !== undefined) member(holder, key, undefined);
      } else {
        const start = at;
        while (code > SPACE && code !== COMMA && code !== CLOSE_ARRAY && code !== CLOSE_OBJECT)
          code = text.charCodeAt((at += 1));
        if (holder !== undefined) member(holder, key, text.slice(start, at));
      }
    }
    at += 1;
  }
}

/** Returns whether a valid JSON text is nested deeper than a number of levels. */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** Returns the index of the closing quote of the string that begins at an index. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

/** Decodes the name of a member. The text range includes the quotes. */
function decodeName(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : name;
}
