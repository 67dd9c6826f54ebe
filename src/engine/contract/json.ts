import { isNestedDeeper } from './json-scan.ts';
import { SourceDigits } from './source-digits.ts';

/** A parsed JSON value, with the source digits of numbers that a double may have changed. */
export type JsonTree = {
  /** Holds the value under the empty name, as in ECMA-262's `JSON.parse`, so that it can be replaced. */
  readonly root: { '': unknown };
  /** The digits of numbers that a double may have changed. */
  readonly sourceDigits: SourceDigits;
};

// Later steps are recursive and must not overflow the stack.
const MAX_DEPTH = 500;

/**
 * Parses a JSON text, and keeps the digits that a double cannot represent.
 *
 * @param digits receives the digits; shared by the texts of a larger structure
 * @throws {SyntaxError} when the text is not JSON (RFC 8259), or nested too deeply
 */
export function parseJson(text: string, digits = new SourceDigits()): JsonTree {
  const value = JSON.parse(text) as unknown;
  if (text.length > MAX_DEPTH && isNestedDeeper(text, MAX_DEPTH)) {
    throw new SyntaxError(`nested more than ${String(MAX_DEPTH)} levels deep`);
  }
  const root = { '': value };
  if (typeof value === 'object' && value !== null) digits.recordText(value, text);
  else if (typeof value === 'number') digits.record(root, '', text.trim());
  return { root, sourceDigits: digits };
}

/** Serializes a value as JSON: bigints with all digits, lone surrogates and control characters escaped. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? (JSON as WithRawJson).rawJSON(String(member)) : member,
  );
}

// TypeScript 5.9 does not declare "JSON.parse source text access" (ECMAScript 2026).
type WithRawJson = typeof JSON & { readonly rawJSON: (text: string) => unknown };
