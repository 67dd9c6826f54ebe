import type { JsonSchema, SchemaDocument } from './json-schema.ts';
import { mergeAllOf } from './schema-merge.ts';

/** Returns the schema of a declared property, if any. */
export function propertyOf(
  schemas: SchemaDocument,
  schema: JsonSchema | undefined,
  name: string,
): JsonSchema | undefined {
  return Object.entries(propertiesOf(schemas, schema)).find(([known]) => known === name)?.[1];
}

/** Returns the required properties of a schema, without its alternatives. */
export function requiredBy(schemas: SchemaDocument, schema: JsonSchema | undefined): readonly string[] {
  const flat = schema === undefined ? false : mergeAllOf(schemas, schema);
  // Validated document.
  return typeof flat === 'boolean' ? [] : ((flat['required'] ?? []) as readonly string[]);
}

/** Returns the declared properties of a schema, without its alternatives. */
export function propertiesOf(
  schemas: SchemaDocument,
  schema: JsonSchema | undefined,
): Readonly<Record<string, JsonSchema>> {
  const flat = schema === undefined ? false : mergeAllOf(schemas, schema);
  // Validated document.
  return typeof flat === 'boolean' ? {} : ((flat['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
}

/** Returns the declared properties of a schema and its alternatives. */
export function allPropertiesOf(
  schemas: SchemaDocument,
  schema: JsonSchema | undefined,
  visited = new Set<JsonSchema>(),
): Readonly<Record<string, JsonSchema>> {
  if (schema === undefined || visited.has(schema)) return {};
  visited.add(schema);
  const flat = mergeAllOf(schemas, schema);
  if (typeof flat === 'boolean') return {};
  // Validated document.
  const { anyOf = [], oneOf = [] } = flat as {
    readonly anyOf?: readonly JsonSchema[];
    readonly oneOf?: readonly JsonSchema[];
  };
  const alternatives = [...anyOf, ...oneOf].map((part) => allPropertiesOf(schemas, part, visited));
  return Object.assign({}, ...alternatives.reverse(), propertiesOf(schemas, schema)) as Readonly<
    Record<string, JsonSchema>
  >;
}
