import type { Schema, SchemaDocument } from './dialect.ts';
import { flatten } from './schema-merge.ts';

/** Returns the schema of a declared property, if any. */
export function propertyOf(schemas: SchemaDocument, schema: Schema | undefined, name: string): Schema | undefined {
  return Object.entries(propertiesOf(schemas, schema)).find(([known]) => known === name)?.[1];
}

/** Returns the required properties of a schema, without its alternatives. */
export function requiredBy(schemas: SchemaDocument, schema: Schema | undefined): readonly string[] {
  const flat = schema === undefined ? false : flatten(schemas, schema);
  // Validated document.
  return typeof flat === 'boolean' ? [] : ((flat['required'] ?? []) as readonly string[]);
}

/** Returns the declared properties of a schema, without its alternatives. */
export function propertiesOf(schemas: SchemaDocument, schema: Schema | undefined): Readonly<Record<string, Schema>> {
  const flat = schema === undefined ? false : flatten(schemas, schema);
  // Validated document.
  return typeof flat === 'boolean' ? {} : ((flat['properties'] ?? {}) as Readonly<Record<string, Schema>>);
}

/** Returns the declared properties of a schema and its alternatives. */
export function allPropertiesOf(
  schemas: SchemaDocument,
  schema: Schema | undefined,
  visited = new Set<Schema>(),
): Readonly<Record<string, Schema>> {
  if (schema === undefined || visited.has(schema)) return {};
  visited.add(schema);
  const flat = flatten(schemas, schema);
  if (typeof flat === 'boolean') return {};
  // Validated document.
  const { anyOf = [], oneOf = [] } = flat as { readonly anyOf?: readonly Schema[]; readonly oneOf?: readonly Schema[] };
  const alternatives = [...anyOf, ...oneOf].map((part) => allPropertiesOf(schemas, part, visited));
  return Object.assign({}, ...alternatives.reverse(), propertiesOf(schemas, schema)) as Readonly<
    Record<string, Schema>
  >;
}
