import { isNestedDeeper, SourceDigits } from './source-digits.ts';

/** A parsed JSON value, with the source digits of numbers that a double may have changed. */
export type JsonTree = {
  /** Holds the value under the empty name, as in ECMA-262's `JSON.parse`, so that it can be replaced. */
  readonly root: { '': unknown };
  /** The digits of numbers that a double may have changed. */
  readonly sourceDigits: SourceDigits;
};

// Recursive processing of the value must not overflow the stack.
const MAX_DEPTH = 500;
// Also matches some digits in strings.
const MAY_BE_UNSAFE = /(?:^|[\s:[,])-?\d{16,}\s*(?:[,\]}]|$)/;
const INTEGER = /^-?\d+$/;

/**
 * Parses a JSON text, and records the digits of numbers that a double cannot represent.
 *
 * @param digits receives the digits; may be shared by several texts
 * @throws {SyntaxError} when the text is not JSON (RFC 8259), or nested too deeply
 */
export function parseJsonTree(text: string, digits = new SourceDigits()): JsonTree {
  const value = JSON.parse(text) as unknown;
  if (text.length > MAX_DEPTH && isNestedDeeper(text, MAX_DEPTH)) throw tooDeep();
  const root = { '': value };
  if (typeof value === 'object' && value !== null) digits.recordText(value, text);
  else if (typeof value === 'number') digits.record(root, '', text.trim());
  return { root, sourceDigits: digits };
}

/**
 * Converts a value to a tree, like {@link parseJsonTree} of its JSON text. Bigints become numbers, in place.
 *
 * @throws {SyntaxError} when the value is nested too deeply
 */
export function toJsonTree(value: unknown): JsonTree {
  const root = { '': value };
  const sourceDigits = new SourceDigits();
  const visited = new Set<object>(); // An object may occur several times.
  replaceBigints(root, 0);
  return { root, sourceDigits };

  function replaceBigints(holder: Record<string, unknown>, depth: number): void {
    if (depth > MAX_DEPTH) throw tooDeep();
    for (const [key, member] of Object.entries(holder)) {
      if (typeof member === 'bigint') {
        holder[key] = Number(member);
        sourceDigits.record(holder, key, String(member));
      } else if (typeof member === 'object' && member !== null && !visited.has(member)) {
        visited.add(member);
        replaceBigints(member as Record<string, unknown>, depth + 1); // Arrays are treated as records.
      }
    }
  }
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`nested more than ${String(MAX_DEPTH)} levels deep`);
}

/**
 * Serializes a value as JSON: bigints with all digits, lone surrogates and control characters escaped. The inverse of
 * {@link parseJson}.
 *
 * @param indent the spaces per level; by default, the result is one line
 */
export function stringifyJson(value: unknown, indent?: number): string {
  const exact = mapBigints(toJsonValue(value), (bigint) => (JSON as WithRawJson).rawJSON(String(bigint)));
  // No replacer, since it would be called for every member.
  return JSON.stringify(exact, undefined, indent);
}

/**
 * Parses a JSON text from {@link stringifyJson}, such as a stored value. Unsafe integers, beyond 2^53, become exact
 * `bigint`s; other integers are numbers. `BigInt(value)` is exact for both.
 *
 * @throws {SyntaxError} when the text is not JSON
 */
export function parseJson(text: string): unknown {
  // Avoids a reviver, which is called for every member.
  if (!MAY_BE_UNSAFE.test(text)) return JSON.parse(text);
  return (JSON as WithSourceText).parse(text, (_key, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source) ? BigInt(source) : value,
  );
}

/**
 * Returns the value that {@link stringifyJson} serializes: calls `toJSON`, removes members without a value, and keeps
 * bigints. Keeps `Date`s, so that string schemas reject them. Copies only changed parts.
 */
export function toJsonValue(value: unknown, key = ''): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const written = hasToJson(value) ? value.toJSON(key) : value;
  if (typeof written !== 'object' || written === null) return toJsonValue(written);
  return Array.isArray(written) ? toJsonItems(written) : toJsonMembers(written as Readonly<Record<string, unknown>>);
}

function hasToJson(value: object): value is { readonly toJSON: (key: string) => unknown } {
  return 'toJSON' in value && !(value instanceof Date) && typeof value.toJSON === 'function';
}

function toJsonItems(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const written = toJsonValue(item, String(index)) ?? null;
    if (!Object.is(written, item)) (copy ??= [...list])[index] = written;
  }
  return copy ?? list;
}

function toJsonMembers(object: Readonly<Record<string, unknown>>): object {
  let changed: Map<string, unknown> | undefined;
  for (const key in object) {
    const member = object[key];
    const written = toJsonValue(member, key);
    if (written === undefined || !Object.is(written, member)) (changed ??= new Map()).set(key, written);
  }
  if (changed === undefined) return object;
  const members = Object.entries(object).map(
    ([key, member]) => [key, changed.has(key) ? changed.get(key) : member] as const,
  );
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/**
 * Returns the replacement of a bigint.
 *
 * @param holder the copy of the object or list that contains it; `undefined` for the root value
 */
type ReplaceBigint = (bigint: bigint, holder: object | undefined, key: string) => unknown;

/** Replaces the bigints in a JSON value. Copies only parts with bigints. */
export function mapBigints(value: unknown, replace: ReplaceBigint): unknown {
  if (typeof value === 'bigint') return replace(value, undefined, '');
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? mapItems(value, replace)
    : mapMembers(value as Readonly<Record<string, unknown>>, replace);
}

function mapItems(list: readonly unknown[], replace: ReplaceBigint): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    if (typeof item === 'bigint') {
      copy ??= [...list];
      copy[index] = replace(item, copy, String(index));
    } else {
      const mapped = mapBigints(item, replace);
      if (!Object.is(mapped, item)) (copy ??= [...list])[index] = mapped;
    }
  }
  return copy ?? list;
}

function mapMembers(object: Readonly<Record<string, unknown>>, replace: ReplaceBigint): object {
  let copy: Record<string, unknown> | undefined;
  for (const key in object) {
    const member = object[key];
    if (typeof member === 'bigint') {
      if (!Object.hasOwn(object, key)) continue;
      copy ??= { ...object };
      copy[key] = replace(member, copy, key);
    } else {
      const mapped = mapBigints(member, replace);
      if (!Object.is(mapped, member) && Object.hasOwn(object, key)) (copy ??= { ...object })[key] = mapped;
    }
  }
  return copy ?? object;
}

// TypeScript 5.9 does not declare "JSON.parse source text access" (ECMAScript 2026).
type WithRawJson = typeof JSON & { readonly rawJSON: (text: string) => unknown };
type WithSourceText = {
  /** `source` is present for numbers and absent for objects. */
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
};
