import { IN_PLACE_LISTS, type Shape, type Shapes } from '@contract-first/contract';
import { mapDefined, nonEmpty, optional } from './records.ts';
import { resolveReference, type OpenApiDocument, type SchemaObject } from './reference.ts';

type Schema = {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
};

/** Locates some values by the schemas of a document. */
export type ShapeFinder = {
  /** Returns the shape of one schema; `undefined` when it contains no such value. */
  readonly shapeOf: (schema: unknown) => Shape | undefined;
  /** The shapes that `$ref`s point at, by the text of the reference. */
  readonly named: Shapes;
};

/**
 * Finds some values in every referenced schema of a document.
 *
 * @param leafOf returns the part of the shape for the schema of such a value
 */
export function findShapes(document: OpenApiDocument, leafOf: (schema: Schema) => Shape | undefined): ShapeFinder {
  const named: Record<string, Shape> = {};
  const references = new Set<string>();
  collectReferences(document, references);

  // References may be nested or recursive: repeat until a pass finds no new ones, so that the last pass sees all of them.
  for (let found = -1; found !== Object.keys(named).length;) {
    found = Object.keys(named).length;
    for (const reference of references) {
      const shape = shapeOf(resolveReference(document, reference));
      if (shape !== undefined) named[reference] = shape;
    }
  }
  return { shapeOf, named };

  function shapeOf(node: unknown): Shape | undefined {
    if (typeof node !== 'object' || node === null) return undefined;
    const schema = node as Schema;
    const alternatives = IN_PLACE_LISTS.flatMap((keyword) => (schema[keyword] ?? []) as readonly unknown[]);
    const additional = shapeOf(schema['additionalProperties']);
    const shape = {
      ...leafOf(schema),
      ...(typeof schema['$ref'] === 'string' && Object.hasOwn(named, schema['$ref']) && { $ref: schema['$ref'] }),
      ...optional('allOf', nonEmpty(alternatives.map(shapeOf).filter((part) => part !== undefined))),
      ...optional('properties', shapesOf(schema.properties, additional !== undefined)),
      ...optional('additionalProperties', additional),
      ...optional('items', shapeOf(schema['items'])),
    };
    return nonEmpty(shape);
  }

  // With such values in `additionalProperties`, properties without one are listed too: they are not additional.
  function shapesOf(schemas: Schema['properties'] = {}, all: boolean): Shapes | undefined {
    return nonEmpty(mapDefined(schemas, (schema) => shapeOf(schema) ?? (all ? {} : undefined)));
  }
}

/** Finds the int64s. */
export function findInt64s(document: OpenApiDocument): ShapeFinder {
  return findShapes(document, (schema) => (isInt64(schema) ? { int64: true } : undefined));
}

/** Whether a schema describes an int64. */
export function isInt64({ type, format }: SchemaObject): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

function collectReferences(node: unknown, references: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') references.add(value);
    else collectReferences(value, references);
  }
}
