import { dereference } from '../openapi/reference.ts';
import type { Schema, SchemaDocument, SchemaObject } from '../values/dialect.ts';
import { isObject, membersOf, type Json, type JsonObject } from '../values/json-value.ts';
import { flatten } from '../values/schema-merge.ts';

/** A value that the document gives as an example, or as the default. */
export type DocumentedExample = {
  /** Names it beside its parameter or body. */
  readonly name: string;
  /** The whole value; `isPart` for the examples of some properties, to which others may have to be added. */
  readonly value: Json;
  readonly isPart: boolean;
};

/** A parameter or media type object. */
type Described = { readonly example?: Json; readonly examples?: Readonly<Record<string, unknown>> };

/** Lists the examples beside a schema, then those in it and its default, then those of its properties. */
export function readExamples(
  schemas: SchemaDocument,
  { example, examples = {} }: Described,
  schema: Schema | undefined,
): readonly DocumentedExample[] {
  const named = Object.entries(examples).map(([name, node]): [string, Json | undefined] => {
    const { value } = Object(dereference(schemas.document, node)) as { readonly value?: Json };
    return [`example ${name}`, value];
  });
  const whole = [['example', example] as const, ...named, ...(schema === undefined ? [] : inSchema(schemas, schema))];
  const parts = schema === undefined ? [] : partsOf(schemas, schema);
  return [
    ...whole.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value, isPart: false }])),
    ...parts.map((value) => ({ name: 'examples of properties', value, isPart: true })),
  ];
}

/** Copies a value with the parts of another one; items of lists are parts, too. */
export function withParts(whole: Json, part: Json): Json {
  if (!isObject(whole) || !isObject(part)) return part;
  const members = membersOf(part).map(([name, member]) => [name, withParts(whole[name] ?? null, member)] as const);
  return { ...whole, ...Object.fromEntries(members) };
}

// The linter has checked the shapes of the keywords.

function inSchema(schemas: SchemaDocument, schema: Schema): readonly (readonly [string, Json | undefined])[] {
  const flat = Object(flatten(schemas, schema)) as SchemaObject;
  const { example, examples = [], default: fallback } = flat as ExampleKeywords;
  const listed = examples.map((value, index) => [`example ${String(index + 1)} of the schema`, value] as const);
  return [['example of the schema', example], ...listed, ['default', fallback]];
}

type ExampleKeywords = { readonly example?: Json; readonly examples?: readonly Json[]; readonly default?: Json };

/** Returns objects of the first examples of all properties, of the second ones, and so on. */
function partsOf(schemas: SchemaDocument, schema: Schema): readonly JsonObject[] {
  const found: JsonObject[] = [];
  for (let index = 0; ; index += 1) {
    const { part, isLast } = partAt(schemas, schema, index, new Set());
    if (part !== undefined) found.push(part);
    if (isLast) return found;
  }
}

/**
 * Returns the examples of the properties with a number; the last one of a property with fewer.
 *
 * @param visited the properties that were descended into: schemas may refer to each other
 */
function partAt(
  schemas: SchemaDocument,
  schema: Schema,
  index: number,
  visited: Set<Schema>,
): { readonly part: JsonObject | undefined; readonly isLast: boolean } {
  const { properties = {} } = Object(flatten(schemas, schema)) as { readonly properties?: Record<string, Schema> };
  let isLast = true;
  const members = Object.entries(properties).flatMap(([name, property]): [string, Json][] => {
    const own = inSchema(schemas, property).flatMap(([, value]) => (value === undefined ? [] : [value]));
    if (index < own.length - 1) isLast = false;
    const [value = own.at(-1)] = own.slice(index);
    if (value !== undefined) return [[name, value]];
    if (visited.has(property)) return [];
    visited.add(property);
    const inner = partAt(schemas, property, index, visited);
    isLast &&= inner.isLast;
    return inner.part === undefined ? [] : [[name, inner.part]];
  });
  return { part: members.length === 0 ? undefined : Object.fromEntries(members), isLast };
}
