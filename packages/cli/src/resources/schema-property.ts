import type { Schema, SchemaDocument } from '../values/dialect.ts';
import { flatten } from '../values/schema-merge.ts';

/** Returns the schema of a property that a schema declares; `undefined` without one. */
export function propertyOf(schemas: SchemaDocument, schema: Schema | undefined, name: string): Schema | undefined {
  return Object.entries(propertiesOf(schemas, schema)).find(([known]) => known === name)?.[1];
}

/** Returns the names of the properties that a schema requires, apart from its alternatives. */
export function requiredBy(schemas: SchemaDocument, schema: Schema | undefined): readonly string[] {
  const flat = schema === undefined ? false : flatten(schemas, schema);
  // The linter has checked the shape of this keyword.
  return typeof flat === 'boolean' ? [] : ((flat['required'] ?? []) as readonly string[]);
}

/** Returns the properties that a schema declares, apart from its alternatives. */
export function propertiesOf(schemas: SchemaDocument, schema: Schema | undefined): Readonly<Record<string, Schema>> {
  const flat = schema === undefined ? false : flatten(schemas, schema);
  // The linter has checked the shape of this keyword.
  return typeof flat === 'boolean' ? {} : ((flat['properties'] ?? {}) as Readonly<Record<string, Schema>>);
}
