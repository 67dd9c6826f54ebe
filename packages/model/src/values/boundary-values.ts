import { stringifyJson } from '@contract-first/contract';
import fc from 'fast-check';
import { type ArbitraryFactory, differentItems } from './arbitrary.ts';
import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from './json-value.ts';
import { multiplesIn } from './multiples.ts';
import { tryGenerate } from './generation-failure.ts';
import type { Oracle } from './oracle.ts';
import { mergeAllOf, join } from './schema-merge.ts';
import { exactNumberAt, INTEGER_RANGES, numberAt } from './schema-numbers.ts';

/** The sizes to try for schemas without a limit. */
export type LongSizes = { readonly chars: number; readonly items: number };

/** Generates variants of a value that are at or beyond a limit of the schema in a single place. */
export type BoundaryValues = (schema: JsonSchema | undefined, value: Json, sizes: LongSizes) => Generator<Json>;

// Limits for recursive schemas and nested alternatives.
const MAX_DEPTH = 8;
const MAX_PAIRS = 6;
const SAMPLES = 50;
const GIVE_UP_AFTER = 500;
// Many servers reject bodies above 100 kB.
const MAX_CHARS = 90_000;
const MAX_SAMPLE_SIZE = MAX_CHARS / 10;

/**
 * Creates a generator of boundary values: numbers, lengths, sizes, steps, patterns, choices, alternatives and
 * additional properties. The values may be valid or invalid.
 */
export function createBoundaryValues(oracle: Oracle, arbitraries: ArbitraryFactory, seed: number): BoundaryValues {
  const { schemas } = oracle;

  return function* boundaryValues(schema, value, sizes) {
    if (schema !== undefined) yield* within(schema, value, 0);

    function* within(node: JsonSchema, part: Json, depth: number): Generator<Json> {
      const flat = mergeAllOf(schemas, node);
      if (typeof flat === 'boolean' || depth > MAX_DEPTH) return;
      yield* choiceBoundaries(flat);
      if (typeof part === 'string') yield* textBoundaries(flat, part, sizes.chars, MAX_CHARS / 4);
      else if (typeof part === 'number' || typeof part === 'bigint') yield* numberBoundaries(flat, part);
      else if (isArray(part)) yield* ofArray(flat, part, depth);
      else if (isObject(part)) yield* ofObject(flat, part, depth);
      for (const keyword of ['oneOf', 'anyOf']) yield* ofAlternatives(flat, keyword, part, depth);
    }

    function* ofArray(flat: JsonSchemaObject, list: JsonArray, depth: number): Generator<Json> {
      const items = (flat['items'] ?? true) as JsonSchema; // Validated document.
      const [min, max] = [numberAt(flat, 'minItems') ?? 0, numberAt(flat, 'maxItems')];
      const pool =
        flat['uniqueItems'] === true ? [...list, ...samples(items, false)] : [...list, ...samples(items, true)];
      const itemChars = Math.max(...pool.map((item) => stringifyJson(item).length), 1);
      const most = Math.min(sizes.items, Math.floor(MAX_CHARS / (itemChars + 1)));
      const lengths = [min - 1, min, ...(max === undefined ? [most] : [max, max + 1])];
      for (const length of lengths.filter((n) => n >= 0 && n <= MAX_CHARS / itemChars)) {
        yield flat['uniqueItems'] === true
          ? differentItems(pool, length)
          : Array.from({ length }, (_, index) => pool[index % pool.length] ?? null);
      }
      const [first, ...others] = list;
      if (first === undefined) return;
      const kept = others.slice(0, max === undefined ? undefined : Math.max(0, max - 2));
      for (const equal of [first, reordered(first)]) yield [first, equal, ...kept];
      const prefixItems = (flat['prefixItems'] ?? []) as readonly JsonSchema[];
      for (const [index, item] of list.slice(0, Math.max(1, prefixItems.length)).entries()) {
        for (const other of within(prefixItems[index] ?? items, item, depth + 1)) yield list.with(index, other);
      }
    }

    function* ofObject(flat: JsonSchemaObject, object: JsonObject, depth: number): Generator<Json> {
      const properties = (flat['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
      const required = (flat['required'] ?? []) as readonly string[];
      const additional = (flat['additionalProperties'] ?? true) as JsonSchema;
      for (const [name, member] of Object.entries(object)) {
        const schema = Object.hasOwn(properties, name) ? properties[name] : additional;
        for (const other of within(schema ?? true, member, depth + 1)) yield { ...object, [name]: other };
      }
      const [extra = 'x'] = samples(additional, true);
      const [min, max] = [numberAt(flat, 'minProperties'), numberAt(flat, 'maxProperties')];
      const sizes = [...(min === undefined ? [] : [min - 1, min]), ...(max === undefined ? [] : [max, max + 1])];
      for (const size of sizes.filter((n) => n >= 0 && n <= MAX_CHARS / 20)) {
        const optional = Object.keys(object).filter((name) => !required.includes(name));
        const names = [...Object.keys(object).filter((name) => required.includes(name)), ...optional].slice(0, size);
        const more = Array.from({ length: Math.max(0, size - names.length) }, (_, index) => [
          `p${String(index)}`,
          extra,
        ]);
        yield { ...Object.fromEntries(names.map((name) => [name, object[name] ?? null])), ...Object.fromEntries(more) };
      }
      for (const [name, member] of Object.entries(object).slice(0, 1)) {
        const names = [name.toUpperCase(), name.toLowerCase(), `${name} `].filter(
          (other) => !Object.hasOwn(object, other),
        );
        for (const other of names) yield { ...object, [other]: member };
      }
      if (typeof additional === 'boolean') return;
      for (const other of [extra, ...within(additional, extra, depth + 1)]) yield { ...object, p0: other };
    }

    function* ofAlternatives(flat: JsonSchemaObject, keyword: string, part: Json, depth: number): Generator<Json> {
      const { [keyword]: list = [], ...rest } = flat;
      const branches = (list as readonly JsonSchema[]).map((branch) => join(rest, mergeAllOf(schemas, branch)));
      const values = branches.map((branch) => samples(branch, true)[0]).filter((value) => value !== undefined);
      yield* values;
      const objects = values.filter(isObject);
      const pairs = objects.flatMap((one, index) => objects.slice(index + 1).map((other) => ({ ...one, ...other })));
      yield* pairs.slice(0, MAX_PAIRS);
      const both = branches
        .flatMap((branch) => samples(branch, false))
        .find((value) => branches.filter((branch) => oracle.allows(branch, value)).length > 1);
      if (both !== undefined) yield both;
      const matched = branches.find((branch) => oracle.allows(branch, part));
      if (matched !== undefined) yield* within(matched, part, depth + 1);
    }
  };

  /** Returns sample values of a schema; none if valid values are too rare. */
  function samples(schema: JsonSchema, plain: boolean): readonly Json[] {
    const limits = { giveUpAfter: GIVE_UP_AFTER, maxSize: MAX_SAMPLE_SIZE };
    const options = { text: 'token', extras: false, plain, ...limits } as const;
    return tryGenerate(() => fc.sample(arbitraries(schema, options), { seed, numRuns: plain ? 1 : SAMPLES })) ?? [];
  }
}

/** Copies a value with the members of its objects in reverse order. */
function reordered(value: Json): Json {
  if (isArray(value)) return value.map(reordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member)]),
  );
}

// Each function returns values at the limits of a schema and one step beyond.

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const SMALL_STEP = 0.001;
const SIMILAR_CHOICES = 3;
const MAX_CHOICES = 20;

/** Returns numbers at and next to the bounds and steps of a schema. */
function numberBoundaries(schema: JsonSchemaObject, value: number | bigint): readonly Json[] {
  const { format, multipleOf } = schema;
  const isInteger = [schema['type']].flat().every((type) => type === 'integer');
  const exactBounds = BOUNDS.flatMap((keyword) => exactNumberAt(schema, keyword) ?? []);
  const bounds = exactBounds.map(Number);
  const whole = exactBounds.filter((bound) => typeof bound === 'bigint' || Number.isInteger(bound));
  const integers = [...whole.map(BigInt), ...(INTEGER_RANGES[String(format)] ?? [])];
  const step = typeof multipleOf === 'bigint' ? Number(multipleOf) : multipleOf;
  return [
    ...integers.flatMap((bound) => [bound, bound - 1n, bound + 1n]),
    ...(isInteger ? bounds.flatMap((bound) => [Math.floor(bound), Math.ceil(bound)]) : bounds),
    ...(isInteger ? [] : bounds.flatMap((bound) => [bound - SMALL_STEP, bound + SMALL_STEP].map(withoutError))),
    ...(typeof step !== 'number' ? [] : stepLimits(step, Number(value), bounds)),
  ];
}

/** Returns the multiples at and next to each bound, and numbers between multiples. */
function stepLimits(step: number, value: number, bounds: readonly number[]): readonly number[] {
  const { multipleAt } = multiplesIn(step, 0, 0);
  const nearest = bounds.flatMap((bound) => {
    const { to } = multiplesIn(step, 0, bound);
    return [to - 1n, to, to + 1n];
  });
  const multiples = [...nearest, 1n, 2n, 3n].map(multipleAt);
  const between = Number.isInteger(step) ? [value + 1, value - 1] : [value + step / 2, value + step / 4];
  return [...multiples, ...between.map(withoutError)];
}

/** Rounds off the binary error of decimal steps: 3 * 0.1 is 0.30000000000000004. */
function withoutError(number: number): number {
  return Number(number.toPrecision(12));
}

/**
 * Returns texts at the length limits in code points, special texts of the format, and variants of texts that match the
 * pattern.
 *
 * @param longText the length to try if there is no maximum
 * @param mostChars the maximum length of returned texts
 */
function textBoundaries(schema: JsonSchemaObject, value: string, longText: number, mostChars: number): readonly Json[] {
  const min = numberAt(schema, 'minLength') ?? 0;
  const max = numberAt(schema, 'maxLength');
  const chars = Array.from(value);
  const usual = chars.at(-1) ?? 'x';
  const lengths = [min - 1, min, ...(max === undefined ? [] : [max, max + 1])].filter((n) => n >= 0 && n <= mostChars);
  return [
    ...lengths.flatMap((length) => [
      [...chars, ...Array<string>(Math.max(0, length - chars.length)).fill(usual)].slice(0, length).join(''),
      // Characters with two UTF-16 code units, and with two code points.
      '🌿'.repeat(length),
      'e\u0301'.repeat(length).slice(0, length),
      // Detects servers that trim whitespace before counting.
      `${usual.repeat(Math.max(0, length - 1))} `.slice(0, length),
    ]),
    ...(max === undefined ? [usual.repeat(longText), 'long text '.repeat(longText / 10)] : []),
    ...(FORMATTED[String(schema['format'])]?.(value) ?? []),
    ...(typeof schema['pattern'] === 'string' ? aroundText(value) : []),
  ];
}

// Only the first two years are leap years (1900 is not a multiple of 400).
const LEAP_DAYS = ['2000-02-29', '2024-02-29', '1900-02-29', '2023-02-29'];
const withLeapDays = (value: string): readonly string[] => LEAP_DAYS.map((day) => day + value.slice(day.length));

/** Texts by format that only validators of the complete format classify correctly. */
const FORMATTED: Readonly<Record<string, (value: string) => readonly string[]>> = {
  date: withLeapDays,
  'date-time': withLeapDays,
  // Hexadecimal digits are case-insensitive (RFC 9562, 4).
  uuid: (value) => [value.toUpperCase(), value.toLowerCase()],
};

/** Returns variants of a text: longer texts that contain it, and texts in a different case. */
function aroundText(text: string): readonly string[] {
  const [first = '', last = ''] = [text.at(0), text.at(-1)];
  const longer = ['x', '-', ' ', '\n', '1', first].map((prefix) => prefix + text);
  return [
    ...longer,
    ...['x', '-', ' ', '\n', '1', last, '\nx'].map((suffix) => text + suffix),
    ...[`x\n${text}`, text.slice(1), text.slice(0, -1), text.toUpperCase(), text.toLowerCase()],
  ];
}

/** Returns the values of `enum` or `const`, and similar values. */
function choiceBoundaries(schema: JsonSchemaObject): readonly Json[] {
  // Values of a JSON document.
  const { enum: list, const: only } = schema as { readonly enum?: readonly Json[]; readonly const?: Json };
  const choices = (list ?? (only === undefined ? [] : [only])).slice(0, MAX_CHOICES);
  return [...choices, ...choices.slice(0, SIMILAR_CHOICES).flatMap(similarTo)];
}

function similarTo(choice: Json): readonly Json[] {
  if (typeof choice === 'number') return [String(choice), choice + 1, -choice];
  if (typeof choice === 'bigint') return [String(choice), choice + 1n, choice - 1n, -choice];
  if (typeof choice === 'boolean') return [String(choice), Number(choice)];
  if (typeof choice !== 'string') return [];
  const [first = '', ...rest] = choice;
  const cases = [choice.toUpperCase(), choice.toLowerCase(), first.toUpperCase() + rest.join('')];
  return [...cases, ` ${choice}`, `${choice} `, `${choice}\n`, `${choice}x`, choice.slice(0, -1)];
}
