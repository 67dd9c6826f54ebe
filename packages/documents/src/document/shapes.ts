import { IN_PLACE_LISTS, type Shape, type Shapes } from '@contract-first/contract';
import { mapDefined, nonEmpty, optional } from './map-values.ts';
import { asSchema, resolveReference, type OpenApiDocument, type SchemaObject } from './reference.ts';

/** Finds the locations of selected values in the schemas of a document. */
export type ShapeFinder = {
  /** Returns the shape of a schema; `undefined` if it contains no selected values. */
  readonly shapeOf: (schema: unknown) => Shape | undefined;
  /** The targets of `$ref`s in shapes, by reference. */
  readonly named: Shapes;
};

/**
 * Creates a finder, with the shapes of every referenced schema.
 *
 * @param leafOf returns the shape for the schema of a selected value; `undefined` for other schemas
 */
export function findShapes(
  document: OpenApiDocument,
  leafOf: (schema: SchemaObject) => Shape | undefined,
): ShapeFinder {
  const named: Record<string, Shape> = {};
  const references = new Set<string>();
  collectReferences(document, references);

  // References may be nested or recursive: repeats until a pass finds no new shapes.
  for (let found = -1; found !== Object.keys(named).length;) {
    found = Object.keys(named).length;
    for (const reference of references) {
      const shape = shapeOf(resolveReference(document, reference));
      if (shape !== undefined) named[reference] = shape;
    }
  }
  return { shapeOf, named };

  function shapeOf(node: unknown): Shape | undefined {
    const schema = asSchema(node);
    if (schema === undefined) return undefined;
    const alternatives = IN_PLACE_LISTS.flatMap((keyword) => schema[keyword] ?? []);
    const additional = shapeOf(schema['additionalProperties']);
    const shape = {
      ...leafOf(schema),
      ...(schema.$ref !== undefined && Object.hasOwn(named, schema.$ref) && { $ref: schema.$ref }),
      ...optional('allOf', nonEmpty(alternatives.map(shapeOf).filter((part) => part !== undefined))),
      ...optional('properties', shapesOf(schema.properties, additional !== undefined)),
      ...optional('additionalProperties', additional),
      ...optional('items', shapeOf(schema['items'])),
    };
    return nonEmpty(shape);
  }

  // If `additionalProperties` has selected values, lists all properties, since these are not additional.
  function shapesOf(schemas: SchemaObject['properties'] = {}, all: boolean): Shapes | undefined {
    return nonEmpty(mapDefined(schemas, (schema) => shapeOf(schema) ?? (all ? {} : undefined)));
  }
}

/** Finds the locations of int64s. */
export function findInt64s(document: OpenApiDocument): ShapeFinder {
  return findShapes(document, (schema) => (describesInt64(schema) ? { int64: true } : undefined));
}

/** Returns whether a schema describes an int64. */
export function describesInt64({ type, format }: SchemaObject): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

function collectReferences(node: unknown, references: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') references.add(value);
    else collectReferences(value, references);
  }
}
