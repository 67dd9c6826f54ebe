import fc from 'fast-check';
import { stringifyJson } from '@contract-first/contract';
import type { ArbitraryFactory } from './arbitrary.ts';
import type { Schema, SchemaObject } from './dialect.ts';
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from './json-value.ts';
import { differentItems } from './different-items.ts';
import { attempt } from './no-value.ts';
import type { Oracle } from './oracle.ts';
import { choiceBoundaries, numberAt, numberBoundaries, textBoundaries } from './scalar-boundaries.ts';
import { flatten, join } from './schema-merge.ts';

/** The sizes to try where a schema has no limit. */
export type LongSizes = { readonly chars: number; readonly items: number };

/** Generates the values that differ from one in a single place, which is at a limit of the schema or beyond it. */
export type BoundaryValues = (schema: Schema | undefined, value: Json, sizes: LongSizes) => Generator<Json>;

// Bounds for recursive schemas and for alternatives of alternatives.
const MAX_DEPTH = 8;
const MAX_PAIRS = 6;
const SAMPLES = 50;
const GIVE_UP_AFTER = 500;
// Many servers refuse bodies of more than 100 kB.
const MAX_CHARS = 90_000;
const MAX_SAMPLE_SIZE = MAX_CHARS / 10;

/**
 * Creates the generator of boundary values for the schemas of an oracle: numbers, lengths, sizes, steps, patterns, choices,
 * alternatives and additional properties. The oracle decides which values are valid.
 */
export function createBoundaryValues(oracle: Oracle, arbitraries: ArbitraryFactory, seed: number): BoundaryValues {
  const { schemas } = oracle;

  return function* boundaryValues(schema, value, sizes) {
    if (schema !== undefined) yield* within(schema, value, 0);

    function* within(node: Schema, part: Json, depth: number): Generator<Json> {
      const flat = flatten(schemas, node);
      if (typeof flat === 'boolean' || depth > MAX_DEPTH) return;
      yield* choiceBoundaries(flat);
      if (typeof part === 'string') yield* textBoundaries(flat, part, sizes.chars, MAX_CHARS / 4);
      else if (typeof part === 'number' || typeof part === 'bigint') yield* numberBoundaries(flat, part);
      else if (isArray(part)) yield* ofArray(flat, part, depth);
      else if (isObject(part)) yield* ofObject(flat, part, depth);
      for (const keyword of ['oneOf', 'anyOf']) yield* ofAlternatives(flat, keyword, part, depth);
    }

    function* ofArray(flat: SchemaObject, list: JsonArray, depth: number): Generator<Json> {
      const items = (flat['items'] ?? true) as Schema; // The linter has checked the shape of the keywords.
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
      const prefixItems = (flat['prefixItems'] ?? []) as readonly Schema[];
      for (const [index, item] of list.slice(0, Math.max(1, prefixItems.length)).entries()) {
        for (const other of within(prefixItems[index] ?? items, item, depth + 1)) yield list.with(index, other);
      }
    }

    function* ofObject(flat: SchemaObject, object: JsonObject, depth: number): Generator<Json> {
      const properties = (flat['properties'] ?? {}) as Readonly<Record<string, Schema>>;
      const required = (flat['required'] ?? []) as readonly string[];
      const additional = (flat['additionalProperties'] ?? true) as Schema;
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

    function* ofAlternatives(flat: SchemaObject, keyword: string, part: Json, depth: number): Generator<Json> {
      const { [keyword]: list = [], ...rest } = flat;
      const branches = (list as readonly Schema[]).map((branch) => join(rest, flatten(schemas, branch)));
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

  /** Returns some values of a schema, none when they are too rare. */
  function samples(schema: Schema, plain: boolean): readonly Json[] {
    const limits = { giveUpAfter: GIVE_UP_AFTER, maxSize: MAX_SAMPLE_SIZE };
    const options = { text: 'token', extras: false, plain, ...limits } as const;
    return attempt(() => fc.sample(arbitraries(schema, options), { seed, numRuns: plain ? 1 : SAMPLES })) ?? [];
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
