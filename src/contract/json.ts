/** A JSON text, parsed: the value, and the digits of those numbers that a double may have changed. */
export type JsonText = {
  /** Holds the value under the empty name, as in ECMA-262's `JSON.parse`, so that the value itself can be replaced. */
  readonly root: { '': unknown };
  /** The number as it was written, where a double may stand for something else; `undefined` where it cannot. */
  readonly literal: (holder: object, key: string) => string | undefined;
};

// A double has 15 decimal digits of its own, so fewer digits than this, without an exponent, stand for themselves.
// Digits inside strings are found as well: they only cost the slower way.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;

/**
 * Parses a JSON text without losing the digits that a double cannot hold.
 *
 * @throws {SyntaxError} when it is not JSON (RFC 8259), or nested too deeply to be read
 */
export function parseJson(text: string): JsonText {
  if (!MAY_LOSE_DIGITS.test(text)) return { root: { '': JSON.parse(text) as unknown }, literal: () => undefined };

  const literals = new Map<object, Map<string, string>>();
  try {
    const value = (JSON.parse as ParseWithSource)(text, function (key, parsed, { source }) {
      if (typeof parsed === 'number' && source !== undefined && MAY_LOSE_DIGITS.test(source)) {
        const known = literals.get(this);
        if (known === undefined) literals.set(this, new Map([[key, source]]));
        else known.set(key, source);
      }
      return parsed;
    });
    const root = { '': value };
    // ECMA-262 holds the outermost value in an object of its own; here that object is `root`.
    const outermost = typeof value === 'number' ? [...literals.values()][0] : undefined;
    return { root, literal: (holder, key) => (holder === root ? outermost : literals.get(holder))?.get(key) };
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('nested too deeply', { cause: error });
    throw error;
  }
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
