import { createSourceDigits, endOfString, type SourceDigits } from './literals.ts';

/** Values as JSON has them, and the digits of those numbers that a double may have changed. */
export type JsonTree = {
  /** Holds the value under the empty name, as in ECMA-262's `JSON.parse`, so that the value itself can be replaced. */
  readonly root: { '': unknown };
  readonly sourceDigits: SourceDigits['get'];
};

// Whatever looks at a value after this goes down by recursion, and must come back.
const MAX_DEPTH = 500;

/**
 * Parses a JSON text without losing the digits that a double cannot hold.
 *
 * @param literals where to remember them, for a text that is a part of something larger
 * @throws {SyntaxError} when it is not JSON (RFC 8259), or nested too deeply
 */
export function parseJson(text: string, digits = createSourceDigits()): JsonTree {
  if (isTooDeep(text)) throw new SyntaxError(`nested more than ${String(MAX_DEPTH)} levels deep`);
  const value = JSON.parse(text) as unknown;
  const root = { '': value };
  if (typeof value === 'object' && value !== null) digits.recordText(value, text);
  else if (typeof value === 'number') digits.record(root, '', text.trim());
  return { root, sourceDigits: digits.get };
}

function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  for (let index = 0; index < text.length && depth <= MAX_DEPTH; index += 1) {
    const character = text.charAt(index);
    if (character === '"') index = endOfString(text, index);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
  }
  return depth > MAX_DEPTH;
}

/** Writes a value as JSON text: bigints with all their digits, lone surrogates and control characters escaped. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? (JSON as WithRawJson).rawJSON(String(member)) : member,
  );
}

// TypeScript 5.9 does not describe "JSON.parse source text access" (ECMAScript 2026) yet.
type WithRawJson = typeof JSON & { readonly rawJSON: (text: string) => unknown };
