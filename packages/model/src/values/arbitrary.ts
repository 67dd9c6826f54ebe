import process from 'node:process';
import { kindOf, memoizeByObject, stringifyJson } from '@contract-first/contract';
import { LimitedPattern, walkDocument } from '@contract-first/documents';
import fc from 'fast-check';
import { isNull, type JsonSchema, type SchemaDocument, type JsonSchemaObject } from './json-schema.ts';
import { EDGE_NAMES } from './hostile-values.ts';
import { isObject, type Json, type JsonArray, type JsonObject } from './json-value.ts';
import {
  tryGenerate,
  failureOr,
  filtered,
  GIVE_UP_AFTER,
  NoValue,
  oneOf,
  TooLarge,
  TooSlow,
} from './generation-failure.ts';
import type { Oracle } from './oracle.ts';
import { MOST_REPETITIONS } from './pattern-length.ts';
import { describesPerson, realisticValues } from './realistic-values.ts';
import { integers, numbers, strings, type TextKind } from './scalar-arbitraries.ts';
import { mergeAllOf, likelyTypes, join } from './schema-merge.ts';
import { MAX_VALUE_SIZE, type Sized, sizeOf, sizeOfName } from './value-size.ts';

/** Options for generated values. */
export type GenerationOptions = {
  readonly text: TextKind;
  /**
   * Whether objects may have undeclared properties; `described`: the root object has properties that
   * `additionalProperties` or `patternProperties` describes.
   */
  readonly extras: boolean | 'described';
  /** Whether values have all optional properties and only usual contents. */
  readonly plain: boolean;
  /** Whether texts and numbers look real for the format or the name of a property. */
  readonly realistic?: boolean;
  /** Whether valid examples and defaults of the document are used. */
  readonly examples?: boolean;
  /** Whether objects have only required properties. */
  readonly minimal?: boolean;
  /** The maximum number of consecutive invalid values; by default, enough to find rare values. */
  readonly giveUpAfter?: number;
  /** The number of items in plain lists, if the schema allows it; by default, one. */
  readonly listSize?: number | undefined;
  /** The maximum size of a value; by default, {@link MAX_VALUE_SIZE}. */
  readonly maxSize?: number | undefined;
};

/** Creates an arbitrary of the values that a schema allows. */
export type ArbitraryFactory = (schema: JsonSchema | undefined, options: GenerationOptions) => fc.Arbitrary<Json>;

// The maximum depths of optional and of required parts, for recursive schemas.
const OPTIONAL_DEPTH = 4;
const MAX_DEPTH = 12;
// Optional parts with more schemas are omitted, since the number may grow exponentially with the depth.
const MAX_OPTIONAL_SCHEMAS = 300;
// The expected size of rejected values. Larger values get fewer attempts.
const USUAL_SIZE = 500;
const LEAST_TRIES = 3;
// fast-check passes choices, items and members as function arguments, whose number is limited.
const MAX_ARGUMENTS = 50_000;
// The minimum and maximum number of additional items to generate if items must be unique.
const LEAST_SPARE = 10;
const MOST_SPARE = 1_000;
// The seeds of the values that show whether a schema allows generated values.
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
// The maximum number of members that are added one after another. The object is validated after each addition.
const MOST_ADDED = 100;
const ANY_TYPE: readonly Json[] = [null, true, 0.5, 'x', [], {}];
// The CPU time for values that are rejected. Some patterns need seconds to reject a few texts.
const SCHEMA_MS = 1_000;
// The CPU time for all schemas of a document. When it is used up, each further schema has LEAST_MS.
const DOCUMENT_MS = 4_000;
const LEAST_MS = 50;
// Values of these keywords are generated from the schema alone.
const NOT_REALISTIC = ['const', 'enum', 'anyOf', 'oneOf', 'not', 'if', 'contentSchema'];
/** The keywords that a JSON text would rarely satisfy. */
const TEXT_LIMITS = ['minLength', 'maxLength', 'pattern', 'format'];
// These keywords can exclude all objects with the usual members: `not: { required: [a, b] }` excludes objects with both.
const EXCLUDING = [
  ...['anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'propertyNames', 'maxProperties'],
  ...['dependentRequired', 'dependentSchemas'],
];
// The generator ignores these keywords and filters the values of their schema, so that fewer root values are rejected.
const FILTERED = [...EXCLUDING, 'pattern', 'format', 'uniqueItems', 'contains'];

/** The result for a schema at one depth. */
type Built =
  | { readonly sized: Sized<Json>; readonly schemaCount: number; readonly failure?: undefined }
  | { readonly sized?: undefined; readonly failure: NoValue; readonly limit: number };

/**
 * Creates the factory for the schemas of one document. It gives up a schema whose values are rejected for too long, and
 * does not try this schema again.
 */
export function createArbitraries(document: SchemaDocument, oracle: Oracle): ArbitraryFactory {
  const givenUp = new Map<JsonSchema, NoValue>();
  let leftMs = DOCUMENT_MS;
  // The oracle compiles the alternatives once, since they remain the same objects.
  const alternativesOf = memoizeByObject((schema: JsonSchemaObject): readonly JsonSchema[] | undefined => {
    const keyword = ['anyOf', 'oneOf'].find((name) => Array.isArray(schema[name]));
    if (keyword === undefined) return undefined;
    const { [keyword]: alternatives, ...rest } = schema;
    return (alternatives as JsonSchema[]).map((part) => join(rest, mergeAllOf(document, part)));
  });
  return (schema = true, options) => {
    const { giveUpAfter = GIVE_UP_AFTER, maxSize = MAX_VALUE_SIZE } = options;
    const known = givenUp.get(schema);
    if (known !== undefined) throw known;
    const memo = new Map<JsonSchema, Built[]>();
    let schemaCount = 0; // The number of schemas with built arbitraries.
    let rejectedSize = 0; // The total size of values rejected by nested filters since the last valid value.
    let start = { at: 0, cpuMs: 0 }; // The time of the first of these values.
    const whole = failureOr(() => build(schema, 0, maxSize));
    if (whole instanceof NoValue) throw whole instanceof TooLarge ? new TooLarge(maxSize) : whole;
    rejectedSize = 0; // Building compiles the schemas, which takes longer than their values.
    return allowed(schema, whole).arbitrary.map((value) => {
      rejectedSize = 0;
      return value;
    });

    /** Filters valid values. Limits the total number of attempts, since the attempts of nested filters multiply. */
    function allowed(part: JsonSchema, { arbitrary, size }: Sized<Json>): Sized<Json> {
      const isAllowed = (value: Json): boolean => {
        if (oracle.allows(part, value)) return true;
        if (rejectedSize === 0) start = { at: performance.now(), cpuMs: cpuMs() };
        rejectedSize += size;
        const mostMs = Math.max(LEAST_MS, Math.min(SCHEMA_MS, leftMs));
        // The CPU time takes longer to read.
        const usedMs = performance.now() - start.at < mostMs ? 0 : cpuMs() - start.cpuMs;
        if (usedMs > mostMs) {
          leftMs -= usedMs;
          const failure = new TooSlow(placeOf(document, part));
          givenUp.set(schema, failure);
          throw failure;
        }
        if (rejectedSize > Math.max(giveUpAfter * USUAL_SIZE, LEAST_TRIES * MAX_VALUE_SIZE))
          throw new NoValue('the schema allows too few of the values that were tried');
        return false;
      };
      return { arbitrary: filtered(arbitrary, isAllowed, triesFor(size)), size };
    }

    /** Returns the maximum number of consecutive rejected values of a size. */
    function triesFor(size: number): number {
      return Math.max(LEAST_TRIES, Math.min(giveUpAfter, Math.floor((giveUpAfter * USUAL_SIZE) / size)));
    }

    /** @throws {TooLarge} if no value within the limit can be built */
    function build(node: JsonSchema, depth: number, limit: number): Sized<Json> {
      if (depth > MAX_DEPTH) throw new NoValue('the schema requires infinite recursion');
      const byDepth = memo.get(node) ?? [];
      memo.set(node, byDepth);
      const known = byDepth[depth];
      if (known?.sized !== undefined && known.sized.size <= limit) {
        schemaCount += known.schemaCount;
        return known.sized;
      }
      if (known?.failure !== undefined && limit <= known.limit) throw known.failure;
      const countBefore = schemaCount;
      schemaCount += 1;
      try {
        const sized = create(node, depth, limit);
        if (sized.size > limit) throw new TooLarge();
        byDepth[depth] = { sized, schemaCount: schemaCount - countBefore };
        return sized;
      } catch (error) {
        if (error instanceof NoValue) byDepth[depth] = { failure: error, limit };
        throw error;
      }
    }

    function create(node: JsonSchema, depth: number, limit: number): Sized<Json> {
      const flat = mergeAllOf(document, node);
      if (flat === false) throw new NoValue('the schema allows no value');
      if (flat === true) return anything(limit);
      const example = options.examples === true ? exampleOf(node, flat) : undefined;
      if (example !== undefined && sizeOf(example) <= limit) return choiceOf([example], limit);
      const has = (keyword: string): boolean => flat[keyword] !== undefined;
      const usual = ofSchema(flat, depth, limit);
      if (!FILTERED.some(has)) return usual;
      const isExcluded = EXCLUDING.some(has) && !isUsable(node, usual);
      return allowed(node, isExcluded ? lessUsual(node, flat, { usual, depth, limit }) : usual);
    }

    /** Returns values with other members, since the schema rejects all usual values. */
    function lessUsual(
      node: JsonSchema,
      flat: JsonSchemaObject,
      { usual, depth, limit }: { readonly usual: Sized<Json>; readonly depth: number; readonly limit: number },
    ): Sized<Json> {
      const mixed = withOtherAlternatives(flat, usual, limit);
      if (options.minimal === true || (mixed !== usual && isUsable(node, mixed))) return mixed;
      const minimal = tryGenerate(() => ofSchema(flat, depth, limit, true));
      if (minimal === undefined) return mixed;
      return minimal.size + usual.size > limit ? minimal : withAllowedMembers(node, minimal, usual);
    }

    /** Adds the members of other values, one after another, unless the schema rejects the object with this member. */
    function withAllowedMembers(node: JsonSchema, { arbitrary, size }: Sized<Json>, others: Sized<Json>): Sized<Json> {
      const both = fc.tuple(arbitrary, others.arbitrary);
      return {
        arbitrary: both.map(([value, other]) => {
          if (!isObject(value) || !isObject(other)) return value;
          const missing = Object.entries(other).filter(([name]) => !Object.hasOwn(value, name));
          return missing.slice(0, MOST_ADDED).reduce<JsonObject>((object, [name, member]) => {
            const more = { ...object, [name]: member };
            return oracle.allows(node, more) ? more : object;
          }, value);
        }),
        size: size + others.size,
      };
    }

    /** Returns whether a schema allows some of the values that were built for it. */
    function isUsable(node: JsonSchema, { arbitrary }: Sized<Json>): boolean {
      const isAllowed = (seed: number): boolean =>
        fc.sample(arbitrary, { numRuns: 1, seed }).every((value) => oracle.allows(node, value));
      return tryGenerate(() => SEEDS.some(isAllowed)) ?? false;
    }

    function exampleOf(
      node: JsonSchema,
      { example, examples = [], default: fallback }: JsonSchemaObject,
    ): Json | undefined {
      // Values of a JSON document.
      const documented = [example, ...[examples].flat(), fallback] as (Json | undefined)[];
      return documented.find((value) => value !== undefined && oracle.allows(node, value));
    }

    /** @param isMinimal whether an object has only required properties; objects in it may have others */
    function ofSchema(node: JsonSchemaObject, depth: number, limit: number, isMinimal = false): Sized<Json> {
      if (node['const'] !== undefined) return choiceOf([node['const'] as Json], limit); // A value of a JSON document.
      if (Array.isArray(node['enum'])) return choiceOf(node['enum'] as Json[], limit);
      const alternatives = alternativesOf(node);
      if (alternatives !== undefined) {
        const toMinimal = (part: JsonSchema): JsonSchema => (typeof part === 'boolean' ? part : withoutOptional(part));
        const parts = isMinimal ? alternatives.map(toMinimal) : alternatives;
        // Deeper levels may choose null, which ends the recursion of required parts.
        const present = options.plain && depth < OPTIONAL_DEPTH ? parts.filter((part) => !isNull(part)) : parts;
        const create = (some: typeof parts): Sized<Json> => oneOf(some.map((part) => () => build(part, depth, limit)));
        return tryGenerate(() => create(present)) ?? create(parts);
      }
      const types = node['type'] === undefined ? likelyTypes(node) : ([node['type']].flat() as string[]);
      const usual = options.plain && types.length > 1 ? types.filter((type) => type !== 'null') : types;
      const own = isMinimal ? withoutOptional(node) : node;
      return oneOf(usual.map((type) => () => ofType(type, own, depth, limit)));
    }

    function choiceOf(values: readonly Json[], limit: number): Sized<Json> {
      if (values.length === 0) throw new NoValue('the schema allows no value');
      const choices = values.slice(0, MAX_ARGUMENTS).filter((value) => sizeOf(value) <= limit);
      if (choices.length === 0) throw new TooLarge();
      return { arbitrary: fc.constantFrom(...choices), size: Math.max(...choices.map(sizeOf)) };
    }

    /** Adds properties of all alternatives of `oneOf` with any type, since usual values match several alternatives. */
    function withOtherAlternatives(
      { oneOf: list = [] }: JsonSchemaObject,
      usual: Sized<Json>,
      limit: number,
    ): Sized<Json> {
      const alternatives = (list as readonly JsonSchema[]).map((part) => mergeAllOf(document, part));
      const names = alternatives.flatMap((part) =>
        part === false || part === true ? [] : Object.keys(part['properties'] ?? {}),
      );
      const size = usual.size + names.reduce((sum, name) => sum + 1 + sizeOfName(name.length), 0);
      if (names.length === 0 || size > limit) return usual;
      const model = Object.fromEntries(names.map((name) => [name, fc.constantFrom(...ANY_TYPE)]));
      const others = fc.record(model, { requiredKeys: options.plain ? [...names] : [] });
      const both = fc.tuple(others, usual.arbitrary);
      return { arbitrary: both.map(([more, value]) => (isObject(value) ? { ...more, ...value } : value)), size };
    }

    function ofType(type: string, node: JsonSchemaObject, depth: number, limit: number): Sized<Json> {
      if (type === 'object') return objects(node, depth, limit);
      if (type === 'array') return arrays(node, depth, limit);
      if (type === 'string')
        return (
          jsonTexts(node, depth, limit) ?? strings(node, options.plain ? 'token' : options.text, options.plain, limit)
        );
      if (type === 'integer') return scalar(integers(node, options.plain));
      if (type === 'number') return scalar(numbers(node, options.plain));
      return scalar(type === 'boolean' ? fc.boolean() : fc.constant(null));
    }

    /** Generates the JSON texts that `contentSchema` describes; `undefined` for other texts. */
    function jsonTexts(node: JsonSchemaObject, depth: number, limit: number): Sized<Json> | undefined {
      const { contentSchema, contentMediaType, contentEncoding } = node;
      const isJson = typeof contentMediaType === 'string' && kindOf(contentMediaType) === 'json';
      const isLimited = TEXT_LIMITS.some((keyword) => node[keyword] !== undefined);
      if (contentSchema === undefined || !isJson || contentEncoding !== undefined || isLimited) return undefined;
      const value = tryGenerate(() => build(contentSchema as JsonSchema, depth + 1, limit)); // Validated document.
      return value && { arbitrary: value.arbitrary.map((one) => stringifyJson(one)), size: value.size };
    }

    function objects(node: JsonSchemaObject, depth: number, limit: number): Sized<Json> {
      const properties = (node['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
      const required = new Set((node['required'] ?? []) as readonly string[]);
      if (required.size > MAX_ARGUMENTS) throw new TooLarge();
      const isUndeclared = (name: string): boolean => !Object.hasOwn(properties, name);
      const undeclared = [...required].filter(isUndeclared);
      const additional = (node['additionalProperties'] ?? true) as JsonSchema;
      const patterns = Object.entries((node['patternProperties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
      const isDescribed = (node['additionalProperties'] ?? false) !== false || patterns.length > 0;
      const needsExtra = options.extras === 'described' && isDescribed && depth === 0;
      const isOfPerson = describesPerson(Object.keys(properties));
      const named = (name: string, schema: JsonSchema, most: number): Sized<Json> =>
        realistic({ name, isOfPerson }, schema, most) ?? build(schema, depth + 1, most);
      const members = new Map<string, fc.Arbitrary<Json>>();
      let size = 1;
      const add = (name: string, value: Sized<Json>): void => {
        members.set(name, value.arbitrary);
        size += sizeOfName(name.length) + value.size;
      };

      let reserved = required.size; // The minimum size of the required properties.
      for (const [name, schema] of Object.entries(properties)) {
        if (!required.has(name)) continue;
        reserved -= 1;
        add(name, named(name, schema, limit - size - sizeOfName(name.length) - reserved));
      }
      const missing = Math.max(0, Number(node['minProperties'] ?? 0) - required.size);
      const share = Math.floor((limit - size) / Math.max(1, undeclared.length + missing));
      const extraValue = failureOr(() => build(additional, depth + 1, share));
      for (const name of undeclared) {
        const matching = patterns.filter(([pattern]) => new LimitedPattern(pattern).test(name));
        const value =
          matching.length === 0 ? extraValue : build({ allOf: matching.map(([, schema]) => schema) }, depth + 1, share);
        // Required properties without a valid value are null; the oracle filters invalid objects.
        add(name, value instanceof NoValue ? scalar(fc.constant(null)) : value);
      }
      if (size > limit) throw new TooLarge();
      for (const [name, schema] of Object.entries(properties)) {
        if (required.has(name) || depth >= OPTIONAL_DEPTH || options.minimal === true) continue;
        if (members.size >= MAX_ARGUMENTS) break;
        const countBefore = schemaCount;
        const left = limit - size - sizeOfName(name.length);
        const optional = tryGenerate(() => named(name, schema, left));
        if (optional !== undefined && schemaCount - countBefore <= MAX_OPTIONAL_SCHEMAS) add(name, optional);
        else schemaCount = countBefore;
      }

      const names = [...Object.keys(properties), ...undeclared].filter((name) => members.has(name));
      // All exist.
      const model = Object.fromEntries(names.map((name) => [name, members.get(name) as fc.Arbitrary<Json>]));
      const requiredKeys = options.plain ? names : [...required];
      // Without `requiredKeys`, fast-check avoids a search in the list for each name.
      const isPartial = requiredKeys.length < names.length;
      const documented: Sized<JsonObject> = {
        arbitrary: fc.record(model, { noNullPrototype: true, ...(isPartial && { requiredKeys }) }),
        size,
      };
      const least = Math.max(0, Number(node['minProperties'] ?? (needsExtra ? 1 : 0)) - requiredKeys.length);
      const mayHaveExtra = options.extras === true || needsExtra;
      const most = Math.max(least, mayHaveExtra && !options.plain && depth < OPTIONAL_DEPTH ? 2 : 0);
      const extra = most > 0 ? failureOr(extras) : undefined;
      if (least > 0 && extra instanceof TooLarge) throw extra;
      return extra === undefined || extra instanceof NoValue
        ? documented
        : withExtras(documented, extra, { least, most, limit });

      /** Generates undeclared properties. @throws {NoValue} if the schema allows none */
      function extras(): Sized<readonly [string, Json]> {
        return oneOf([
          () => property(namesOf(node, depth, limit), build(additional, depth + 1, share)),
          ...patterns.map(
            ([pattern, schema]) =>
              () =>
                property(strings({ pattern }, 'token', options.plain, limit), build(schema, depth + 1, share)),
          ),
        ]);
      }

      /**
       * Adds undeclared properties, except the names of properties that only the other direction declares: servers may
       * treat them specially.
       */
      function withExtras(
        { arbitrary, size }: Sized<JsonObject>,
        extra: Sized<readonly [string, Json]>,
        { least, most, limit }: { readonly least: number; readonly most: number; readonly limit: number },
      ): Sized<Json> {
        const sizeOfAll = size + most * extra.size;
        if (sizeOfAll > limit && least > 0) throw new TooLarge();
        if (sizeOfAll > limit) return documented;
        const isUnknown = (name: string): boolean => isUndeclared(name) && !document.removed.has(name);
        const entries = fc.array(extra.arbitrary, { minLength: least, maxLength: most });
        const extras = entries.map((list) => {
          const known = list.map(([name]) => name).filter(isUnknown);
          const names = least === 0 ? [...new Set(known)] : differentItems(known, list.length).map(String);
          return Object.fromEntries(names.map((name, index) => [name, list[index]?.[1] ?? null]));
        });
        const both = fc.tuple(extras, arbitrary);
        return {
          arbitrary: both.map(([more, object]) => ({ ...more, ...object })),
          size: sizeOfAll,
        };
      }
    }

    /** Generates values that look real for a property or, without a name, for an item of a list. */
    function realistic(
      { name, isOfPerson }: { readonly name: string; readonly isOfPerson: boolean },
      node: JsonSchema,
      limit: number,
    ): Sized<Json> | undefined {
      if (options.realistic !== true) return undefined;
      const flat = withoutNull(mergeAllOf(document, node));
      if (typeof flat === 'boolean' || NOT_REALISTIC.some((keyword) => flat[keyword] !== undefined)) return undefined;
      if (options.examples === true && exampleOf(node, flat) !== undefined) return undefined;
      const values = realisticValues(name, flat, isOfPerson);
      return values.some((value) => sizeOf(value) <= limit) ? choiceOf(values, limit) : undefined;
    }

    /** Returns the only alternative besides null, joined with the rest of the schema. */
    function withoutNull(flat: JsonSchema): JsonSchema {
      if (typeof flat === 'boolean') return flat;
      const { anyOf, oneOf = anyOf, ...rest } = flat;
      if (!Array.isArray(oneOf)) return flat;
      const [part, ...others] = (oneOf as JsonSchema[]).filter((one) => !isNull(one));
      return part === undefined || others.length > 0 ? flat : join(rest, mergeAllOf(document, part));
    }

    /** Generates property names. */
    function namesOf({ propertyNames }: JsonSchemaObject, depth: number, limit: number): Sized<Json> {
      if (propertyNames === undefined && options.extras === 'described') return strings({}, 'token', true, limit);
      if (propertyNames === undefined)
        return scalar(fc.oneof(fc.constantFrom(...EDGE_NAMES), fc.string({ maxLength: 5 })));
      return build({ type: 'string', allOf: [propertyNames] }, depth + 1, limit);
    }

    function arrays(node: JsonSchemaObject, depth: number, limit: number): Sized<Json> {
      const prefix = (node['prefixItems'] ?? []) as readonly JsonSchema[];
      let left = limit - 1 - prefix.length; // Reserves the minimum size of the prefix items.
      if (prefix.length > MAX_ARGUMENTS) throw new TooLarge();
      const first = prefix.map((schema) => {
        const { arbitrary, size } = build(schema, depth + 1, left + 1);
        left -= size - 1;
        return arbitrary;
      });
      const usual = depth > 1 ? 1 : (options.listSize ?? 1);
      const inside = options.listSize === undefined ? depth + 1 : Math.max(depth + 1, 2); // Keeps nested lists short.
      const needed = Math.max(Number(node['minItems'] ?? 0) - first.length, 0);
      const wanted = Math.max(needed, options.plain ? usual : 0);
      const allowedMost = Number(node['maxItems'] ?? wanted + first.length + 3) - first.length;
      const isShallow = depth < OPTIONAL_DEPTH || wanted > 0;
      const item = isShallow ? itemFor(wanted) : undefined;
      if (item instanceof NoValue && needed > 0) throw item;
      const start = fc.tuple(...first);
      if (item === undefined || item instanceof NoValue) return { arbitrary: start, size: limit - left };

      const max = Math.min(
        Math.max(0, options.plain ? Math.min(wanted, allowedMost) : allowedMost),
        Math.floor(left / item.size),
      );
      const min = Math.min(wanted, max);
      const most = Math.min(max, MOST_REPETITIONS.small(min));
      const isDistinct = node['uniqueItems'] === true && needed > 1;
      const spare = isDistinct ? Math.min(min, MOST_SPARE) + LEAST_SPARE : 0; // Replaces duplicate items.
      const items = fc.array(item.arbitrary, { minLength: min + spare, maxLength: (isDistinct ? most : max) + spare });
      const rest = isDistinct ? items.map((list) => differentItems(list, list.length - spare)) : items;
      const whole = fc.tuple(start, rest);
      return { arbitrary: whole.map(([start, end]) => [...start, ...end]), size: limit - left + most * item.size };

      /** Returns an item small enough for a number of items, or else for the required number of items. */
      function itemFor(count: number): Sized<Json> | NoValue {
        const schema = (node['items'] ?? true) as JsonSchema; // Validated document.
        const most = Math.floor(left / Math.max(1, count));
        const item = failureOr(
          () => realistic({ name: '', isOfPerson: false }, schema, most) ?? build(schema, inside, most),
        );
        return item instanceof TooLarge && count > needed ? itemFor(needed) : item;
      }
    }

    function anything(limit: number): Sized<Json> {
      const scalars = [
        strings({}, options.plain ? 'token' : options.text, options.plain, limit),
        scalar(integers({ format: 'int64' }, options.plain)),
        scalar(fc.boolean()),
      ];
      const others = [scalar(numbers({}, false)), scalar(fc.constantFrom<Json>(null, [], {}))];
      return oneOf([...scalars, ...(options.plain || !options.extras ? [] : others)].map((one) => () => one));
    }
  };
}

/** Returns a schema without the properties that objects may lack. */
function withoutOptional(schema: JsonSchemaObject): JsonSchemaObject {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema['required'] ?? []) as readonly string[];
  const kept = Object.entries(properties).filter(([name]) => required.includes(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Returns the CPU time of this process in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Returns the JSON pointer to a schema of a document, or to the schema that it references. */
function placeOf({ document }: SchemaDocument, schema: JsonSchema): string | undefined {
  const { $ref } = Object(schema) as { readonly $ref?: string }; // Validated document.
  if ($ref !== undefined) return $ref.slice($ref.indexOf('#'));
  let place: string | undefined;
  walkDocument(document, ({ node, pointer }) => {
    if (node === schema) place ??= pointer;
  });
  return place;
}

function property(name: Sized<Json>, value: Sized<Json>): Sized<readonly [string, Json]> {
  return { arbitrary: fc.tuple(name.arbitrary.map(String), value.arbitrary), size: name.size + value.size };
}

function scalar<Value>(arbitrary: fc.Arbitrary<Value>): Sized<Value> {
  return { arbitrary, size: 1 };
}

/** Returns different items from a pool. If the pool has too few, derives items from the first item with a number. */
export function differentItems(pool: readonly Json[], length: number): JsonArray {
  const different = [...new Map(pool.map((item) => [stringifyJson(item), item])).values()];
  if (length <= different.length) return different.slice(0, length);
  const [first = null] = different;
  return Array.from({ length }, (_, index) => (index === 0 ? first : successor(first, index)));
}

/** Derives a different value by adding a number. */
function successor(value: Json, index: number): Json {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(Math.trunc(Number(value))) + BigInt(index);
  if (typeof value === 'string') return `${value}${String(index)}`;
  if (!isObject(value)) return index;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isObject(member) ? member : successor(member, index)]),
  );
}
