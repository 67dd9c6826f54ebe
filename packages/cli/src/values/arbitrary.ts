import fc from 'fast-check';
import { isNull, type Schema, type SchemaDocument, type SchemaObject } from './dialect.ts';
import { EDGE_NAMES } from './hostile-values.ts';
import { isObject, type Json, type JsonObject } from './json-value.ts';
import { attempt, oneOf, NoValue, filtered } from './no-value.ts';
import type { Oracle } from './oracle.ts';
import { integers, numbers, strings, type TextKind } from './scalar-arbitraries.ts';
import { flatten, guessTypes, join } from './schema-merge.ts';

/** Options for generated values. */
export type GenerationOptions = {
  readonly text: TextKind;
  /** Whether objects may have properties that the schema does not declare. */
  readonly extras: boolean;
  /** Whether values have every optional property and nothing unusual. */
  readonly plain: boolean;
  /** Whether the document's own examples and defaults are used where they are valid. */
  readonly examples?: boolean;
  /** Whether objects have only required properties. */
  readonly minimal?: boolean;
  /** How many values may be invalid in a row; by default, so many that rare ones are found. */
  readonly giveUpAfter?: number;
  /** The number of items of plain lists, as far as their schema allows; by default, one. */
  readonly listSize?: number | undefined;
};

/** Creates an arbitrary of the values that a schema allows. */
export type ArbitraryFactory = (schema: Schema | undefined, options: GenerationOptions) => fc.Arbitrary<Json>;

// Bounds for recursive schemas: the depth of optional parts, and that of required ones.
const OPTIONAL_DEPTH = 4;
const MAX_DEPTH = 12;
// Optional parts with more schemas than this are omitted: each level multiplies them.
const MAX_OPTIONAL_SIZE = 300;
const SOME = { numRuns: 10, seed: 1 };
const ANY_TYPE: readonly Json[] = [null, true, 0.5, 'x', [], {}];
// Generation ignores these keywords. Values are filtered where the keyword applies, so that fewer documents are discarded.
const FILTERED = [
  ...['anyOf', 'oneOf', 'not', 'if', 'pattern', 'format', 'uniqueItems', 'contains', 'patternProperties'],
  'propertyNames',
];

/** Creates the factory for the schemas of one document. */
export function createArbitraries(document: SchemaDocument, oracle: Oracle): ArbitraryFactory {
  return (schema = true, options) => {
    const memo = new Map<Schema, { readonly arbitrary: fc.Arbitrary<Json>; readonly size: number }[]>();
    let size = 0; // The number of schemas that the built arbitraries generate values for.
    return allowed(schema, build(schema, 0));

    function allowed(part: Schema, arbitrary: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
      return filtered(arbitrary, (value) => oracle.allows(part, value), options.giveUpAfter);
    }

    function build(node: Schema, depth: number): fc.Arbitrary<Json> {
      const cached = memo.get(node)?.[depth];
      if (cached !== undefined) {
        size += cached.size;
        return cached.arbitrary;
      }
      const sizeBefore = size;
      size += 1;
      if (depth > MAX_DEPTH) throw new NoValue('the schema requires infinite recursion');
      const arbitrary = create(node, depth);
      const byDepth = memo.get(node) ?? [];
      byDepth[depth] = { arbitrary, size: size - sizeBefore };
      memo.set(node, byDepth);
      return arbitrary;
    }

    function create(node: Schema, depth: number): fc.Arbitrary<Json> {
      const flat = flatten(document, node);
      if (flat === false) throw new NoValue('the schema allows no value');
      if (flat === true) return anything();
      const example = options.examples === true ? exampleOf(node, flat) : undefined;
      if (example !== undefined) return fc.constant(example);
      const built = exclusive(node, flat, ofSchema(flat, depth));
      return FILTERED.some((keyword) => flat[keyword] !== undefined) ? allowed(node, built) : built;
    }

    function exampleOf(node: Schema, { example, examples = [], default: fallback }: SchemaObject): Json | undefined {
      const documented = [example, ...[examples].flat(), fallback] as (Json | undefined)[]; // The document is JSON.
      return documented.find((value) => value !== undefined && oracle.allows(node, value));
    }

    function ofSchema(node: SchemaObject, depth: number): fc.Arbitrary<Json> {
      if (node['const'] !== undefined) return fc.constant(node['const'] as Json); // The document is JSON, so its values are too.
      if (Array.isArray(node['enum'])) return fc.constantFrom(...(node['enum'] as Json[]));
      for (const keyword of ['anyOf', 'oneOf']) {
        const { [keyword]: alternatives, ...rest } = node;
        if (!Array.isArray(alternatives)) continue;
        const parts = (alternatives as Schema[]).map((part) => join(rest, flatten(document, part)));
        // Null ends the recursion of required parts.
        const present = options.plain && depth < OPTIONAL_DEPTH ? parts.filter((part) => !isNull(part)) : parts;
        const create = (some: typeof parts): fc.Arbitrary<Json> => oneOf(some.map((part) => () => build(part, depth)));
        return attempt(() => create(present)) ?? create(parts);
      }
      const types = node['type'] === undefined ? guessTypes(node) : ([node['type']].flat() as string[]);
      const usual = options.plain && types.length > 1 ? types.filter((type) => type !== 'null') : types;
      return oneOf(usual.map((type) => () => ofType(type, node, depth)));
    }

    /** Where the usual values match several alternatives of `oneOf`, adds properties of the others with any type. */
    function exclusive(
      node: Schema,
      { oneOf: list = [] }: SchemaObject,
      usual: fc.Arbitrary<Json>,
    ): fc.Arbitrary<Json> {
      const alternatives = (list as readonly Schema[]).map((part) => flatten(document, part));
      const names = alternatives.flatMap((part) =>
        part === false || part === true ? [] : Object.keys(part['properties'] ?? {}),
      );
      const isUsable = (): boolean =>
        attempt(() => fc.sample(usual, SOME))?.some((value) => oracle.allows(node, value)) ?? false;
      if (names.length === 0 || isUsable()) return usual;
      const model = Object.fromEntries(names.map((name) => [name, fc.constantFrom(...ANY_TYPE)]));
      const others = fc.record(model, { requiredKeys: options.plain ? [...names] : [] });
      return fc.tuple(others, usual).map(([more, value]) => (isObject(value) ? { ...more, ...value } : value));
    }

    function ofType(type: string, node: SchemaObject, depth: number): fc.Arbitrary<Json> {
      if (type === 'object') return objects(node, depth);
      if (type === 'array') return arrays(node, depth);
      if (type === 'string') return strings(node, options.plain ? 'token' : options.text, options.plain);
      if (type === 'integer') return integers(node, options.plain);
      if (type === 'number') return numbers(node, options.plain);
      return type === 'boolean' ? fc.boolean() : fc.constant(null);
    }

    function objects(node: SchemaObject, depth: number): fc.Arbitrary<Json> {
      const properties = Object.entries((node['properties'] ?? {}) as Readonly<Record<string, Schema>>);
      const required = (node['required'] ?? []) as readonly string[];
      const model: Record<string, fc.Arbitrary<Json>> = {};
      for (const [name, schema] of properties) {
        if (required.includes(name)) model[name] = build(schema, depth + 1);
        else if (depth < OPTIONAL_DEPTH && options.minimal !== true) {
          const sizeBefore = size;
          const optional = attempt(() => build(schema, depth + 1));
          if (optional !== undefined && size - sizeBefore <= MAX_OPTIONAL_SIZE) model[name] = optional;
          else size = sizeBefore;
        }
      }
      const additional = (node['additionalProperties'] ?? true) as Schema;
      const isAdditional = (name: string): boolean => !properties.some(([known]) => known === name);
      const additionalValues = additional === false ? undefined : attempt(() => build(additional, depth + 1));
      for (const name of required.filter(isAdditional)) {
        model[name] = additionalValues ?? fc.constant(null); // The property has no schema; the oracle decides whether null is valid.
      }
      const requiredKeys = options.plain ? Object.keys(model) : required;
      const documented = fc.record(model, { requiredKeys: [...requiredKeys], noNullPrototype: true });
      const present = options.plain ? Object.keys(model).length : required.length;
      const minKeys = Math.max(0, Number(node['minProperties'] ?? 0) - present);
      const maxKeys = Math.max(minKeys, options.extras && !options.plain ? 2 : 0);
      const isNeeded = minKeys > 0 || (maxKeys > 0 && depth < OPTIONAL_DEPTH);
      if (additionalValues === undefined || !isNeeded) return documented;
      // A property of the other direction has a meaning, too.
      const isUnknown = (name: string): boolean => isAdditional(name) && !document.removed.has(name);
      const names = attempt(() => namesOf(node, depth).filter(isUnknown));
      if (names === undefined) return documented;
      const extras = fc.dictionary(names, additionalValues, { minKeys, maxKeys, noNullPrototype: true });
      return fc.tuple(extras, documented).map(([more, object]): JsonObject => ({ ...more, ...object }));
    }

    /** Generates names of properties. */
    function namesOf({ propertyNames }: SchemaObject, depth: number): fc.Arbitrary<string> {
      if (propertyNames === undefined) return fc.oneof(fc.constantFrom(...EDGE_NAMES), fc.string({ maxLength: 5 }));
      return build({ type: 'string', allOf: [propertyNames] }, depth + 1).map(String); // They are strings.
    }

    function arrays(node: SchemaObject, depth: number): fc.Arbitrary<Json> {
      const first = ((node['prefixItems'] ?? []) as readonly Schema[]).map((schema) => build(schema, depth + 1));
      const usual = depth > 1 ? 1 : (options.listSize ?? 1);
      const inside = options.listSize === undefined ? depth + 1 : Math.max(depth + 1, 2); // Lists in lists stay short.
      const min = Math.max(Number(node['minItems'] ?? 0) - first.length, options.plain ? usual : 0);
      const most = Number(node['maxItems'] ?? min + first.length + 3) - first.length;
      const max = Math.max(0, options.plain ? Math.min(min, most) : most);
      const isShallow = depth < OPTIONAL_DEPTH || min > 0;
      const items = isShallow ? attempt(() => build((node['items'] ?? true) as Schema, inside)) : undefined;
      const rest =
        items === undefined ? fc.constant([]) : fc.array(items, { minLength: Math.min(min, max), maxLength: max });
      return fc.tuple(fc.tuple(...first), rest).map(([start, end]) => [...start, ...end]);
    }

    function anything(): fc.Arbitrary<Json> {
      const scalars = [
        strings({}, options.plain ? 'token' : options.text),
        integers({ format: 'int64' }, options.plain),
        fc.boolean(),
      ];
      return options.plain || !options.extras
        ? fc.oneof(...scalars)
        : fc.oneof(...scalars, numbers({}, false), fc.constantFrom<Json>(null, [], {}));
    }
  };
}
