import { escapePointer, stringifyJson } from '@contract-first/contract';
import type { JsonSchema, SchemaDocument, JsonSchemaObject } from '../values/json-schema.ts';
import { toJsonTree } from '../values/json-tree.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';
import { readNamedExamples, type NamedExamples } from '../values/named-examples.ts';
import type { Oracle } from '../values/oracle.ts';
import { mergeAllOf } from '../values/schema-merge.ts';

/** An example or default from the document. */
export type DocumentedExample = {
  /** The name within its parameter or body. */
  readonly name: string;
  readonly value: Json;
  /** Whether the value is generated and contains property examples. */
  readonly isCombined: boolean;
};

/**
 * Lists examples: first the examples beside a schema, then the examples and the default in the schema, then generated
 * values with valid examples of properties.
 */
export type ListExamples = (oracle: Oracle, generated: Json | undefined) => readonly DocumentedExample[];

/** A parameter or media type object. */
type Described = { readonly example?: Json; readonly examples?: Readonly<Record<string, unknown>> };
type ExampleKeywords = { readonly example?: Json; readonly examples?: readonly Json[]; readonly default?: Json };
type Combined = { readonly value: Json; readonly isChanged: boolean; readonly isLast: boolean };

/** Returns the examples of a parameter or media type object. */
export function examplesOf(
  schemas: SchemaDocument,
  { example, examples = {} }: Described,
  schema: JsonSchema | undefined,
): { readonly examples: ListExamples; readonly named: NamedExamples } {
  const named = readNamedExamples(schemas.document, examples);
  return { named, examples: list };

  function list(oracle: Oracle, generated: Json = {}): readonly DocumentedExample[] {
    const beside = [
      ['example', example] as const,
      ...[...named].map(([name, value]) => [`example ${name}`, value] as const),
    ];
    const whole = [...beside, ...(schema === undefined ? [] : inSchema(schemas, schema))];
    const combined = schema === undefined ? [] : combine(schemas, oracle, schema, generated);
    return [
      ...whole.flatMap(([name, value]) =>
        value === undefined ? [] : [{ name, value: withoutMembers(value, schemas.removed), isCombined: false }],
      ),
      ...combined.map((value) => ({ name: 'examples of properties', value, isCombined: true })),
    ];
  }
}

// The keywords of a validated document.

function inSchema(schemas: SchemaDocument, schema: JsonSchema): readonly (readonly [string, Json | undefined])[] {
  const { example, examples = [], default: fallback } = Object(mergeAllOf(schemas, schema)) as ExampleKeywords;
  const listed = examples.map((value, index) => [`example ${String(index + 1)} of the schema`, value] as const);
  return [['example of the schema', example], ...listed, ['default', fallback]];
}

/** Returns values with the first example of each property, then with the second examples, and so on. */
function combine(schemas: SchemaDocument, oracle: Oracle, schema: JsonSchema, generated: Json): readonly Json[] {
  const found: Json[] = [];
  for (let index = 0; ; index += 1) {
    const { value, isChanged, isLast } = withExample(schema, generated, index);
    if (isChanged) found.push(value);
    if (isLast) return found;
  }

  /** @param index the index of the example; properties with fewer examples use the last one */
  function withExample(schema: JsonSchema, value: Json, index: number): Combined {
    const { properties = {}, items } = Object(mergeAllOf(schemas, schema)) as JsonSchemaObject;
    if (isArray(value) && items !== undefined) {
      const parts = value.map((item) => withExample(items as JsonSchema, item, index));
      return { value: parts.map((part) => part.value), ...join(parts) };
    }
    if (!isObject(value)) return { value, ...join([]) };
    const parts = Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, property]) => {
      const examples = inSchema(schemas, property).flatMap(([, one]) => (one === undefined ? [] : [one]));
      const valid = examples.filter((example) => oracle.allows(property, example));
      const [example = valid.at(-1)] = valid.slice(index);
      const isLast = index >= valid.length - 1;
      if (example !== undefined) return [{ name, value: example, isChanged: true, isLast }];
      return Object.hasOwn(value, name) ? [{ name, ...withExample(property, value[name] ?? null, index) }] : [];
    });
    const members = parts.map((part) => [part.name, part.value] as const);
    return { value: { ...value, ...Object.fromEntries(members) }, ...join(parts) };
  }
}

/** An invalid example or default of a property or item. */
export type NestedFault = { readonly name: string; readonly place: string; readonly fault: string };

/**
 * Lists the invalid examples and defaults inside a schema.
 *
 * @param visited the searched schemas, which are skipped
 */
export function* faultsWithin(
  oracle: Oracle,
  schema: JsonSchema,
  visited: Set<string>,
  place = '',
): Generator<NestedFault> {
  const { properties = {}, items } = Object(mergeAllOf(oracle.schemas, schema)) as JsonSchemaObject;
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  const parts = members.map(([name, property]) => [`${place}/${escapePointer(name)}`, property] as const);
  for (const [at, part] of items === undefined ? parts : [...parts, [`${place}/*`, items as JsonSchema] as const]) {
    const key = stringifyJson(part);
    if (visited.has(key)) continue;
    visited.add(key);
    for (const [name, example] of inSchema(oracle.schemas, part)) {
      const value = example === undefined ? undefined : withoutMembers(example, oracle.schemas.removed);
      const fault = value === undefined ? undefined : faultOf(oracle, part, value);
      if (fault !== undefined) yield { name: name.replace(/ of the schema$/, ''), place: at, fault };
    }
    yield* faultsWithin(oracle, part, visited, at);
  }
}

/** Returns the reason why an example is invalid; `undefined` if it is valid. */
export function faultOf(oracle: Oracle, schema: JsonSchema | undefined, value: Json): string | undefined {
  const violation = oracle.violation(schema, toJsonTree(value));
  return violation && `${violation.path} ${violation.message}`.trimStart();
}

/** Copies an example without the members of the given names. */
function withoutMembers(value: Json, names: ReadonlySet<string>): Json {
  if (isArray(value)) return value.map((item) => withoutMembers(item, names));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutMembers(member, names)]));
}

function join(parts: readonly Omit<Combined, 'value'>[]): Omit<Combined, 'value'> {
  return { isChanged: parts.some(({ isChanged }) => isChanged), isLast: parts.every(({ isLast }) => isLast) };
}
