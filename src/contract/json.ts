/** Values as JSON has them, and the digits of those numbers that a double may have changed. */
export type JsonTree = {
  /** Holds the value under the empty name, as in ECMA-262's `JSON.parse`, so that the value itself can be replaced. */
  readonly root: { '': unknown };
  /** The digits that were sent, where a double may stand for something else; `undefined` where it cannot. */
  readonly literal: (holder: object, key: string) => string | undefined;
};

/** Remembers digits while a tree is made. */
export type Literals = {
  readonly note: (holder: object, key: string, literal: string) => void;
  readonly literal: JsonTree['literal'];
};

// A double has 15 decimal digits of its own, so fewer digits than this, without an exponent, stand for themselves.
// Digits inside strings are found as well: they only cost the slower way.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;

/** Starts with no digits remembered. */
export function createLiterals(): Literals {
  // Made when it is needed, which is seldom.
  let literals: Map<object, Map<string, string>> | undefined;
  return {
    note(holder, key, literal) {
      if (!MAY_LOSE_DIGITS.test(literal)) return;
      literals ??= new Map();
      const known = literals.get(holder);
      if (known === undefined) literals.set(holder, new Map([[key, literal]]));
      else known.set(key, literal);
    },
    literal: (holder, key) => literals?.get(holder)?.get(key),
  };
}

// Whatever looks at a value after this goes down by recursion, and must come back.
const MAX_DEPTH = 500;

/**
 * Parses a JSON text without losing the digits that a double cannot hold.
 *
 * @param literals where to remember them, for a text that is a part of something larger
 * @throws {SyntaxError} when it is not JSON (RFC 8259), or nested too deeply
 */
export function parseJson(text: string, literals = createLiterals()): JsonTree {
  if (isTooDeep(text)) throw new SyntaxError(`nested more than ${String(MAX_DEPTH)} levels deep`);
  if (!MAY_LOSE_DIGITS.test(text)) return { root: { '': JSON.parse(text) as unknown }, literal: literals.literal };

  const value = (JSON.parse as ParseWithSource)(text, function (key, parsed, { source }) {
    if (typeof parsed === 'number' && source !== undefined) literals.note(this, key, source);
    return parsed;
  });
  const root = { '': value };
  // ECMA-262 holds the value in an object of its own; of a number by itself, the text is the literal.
  if (typeof value === 'number') literals.note(root, '', text.trim());
  return { root, literal: literals.literal };
}

function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH || (text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Writes a value as JSON text: bigints with all their digits, lone surrogates and control characters escaped. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? (JSON as WithRawJson).rawJSON(String(member)) : member,
  );
}

// TypeScript 5.9 does not describe "JSON.parse source text access" (ECMAScript 2026) yet.
type ParseWithSource = (
  text: string,
  reviver: (this: object, key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;
type WithRawJson = typeof JSON & { readonly rawJSON: (text: string) => unknown };
