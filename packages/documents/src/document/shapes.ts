import { IN_PLACE_LISTS, type Shape, type Shapes } from '@contract-first/contract';
import { optional } from './map-values.ts';
import { findReaching, PREFIX, type Schemas } from './reaching.ts';
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
 * @param isMark whether a member may belong to the schema of a selected value; only schemas with these are read
 */
export function findShapes(
  document: OpenApiDocument,
  leafOf: (schema: SchemaObject) => Shape | undefined,
  isMark: (key: string, value: unknown) => boolean,
): ShapeFinder {
  const named: Record<string, Shape> = {};
  const all = new Set<string>();
  collectReferences(document, all);
  const { schemas = {} } = Object(document['components']) as { readonly schemas?: Schemas };
  const reaching = findReaching(schemas, isMark);
  const references = [...all].filter((reference) => {
    const name = reference.slice(PREFIX.length);
    return reaching.has(name) || !(reference.startsWith(PREFIX) && Object.hasOwn(schemas, name));
  });

  // References may be nested or recursive: repeats until a pass finds no new shapes.
  for (let found = -1; found !== Object.keys(named).length;) {
    found = Object.keys(named).length;
    for (const reference of references) {
      const shape = shapeOf(resolveReference(document, reference));
      if (shape !== undefined) named[reference] = shape;
    }
  }
  return { shapeOf, named };

  // Most schemas have no shape: an object is created only for the others.
  function shapeOf(node: unknown): Shape | undefined {
    const schema = asSchema(node);
    if (schema === undefined) return undefined;
    const leaf = leafOf(schema);
    const isNamed = schema.$ref !== undefined && Object.hasOwn(named, schema.$ref);
    const alternatives = shapesIn(schema);
    const additional = shapeOf(schema['additionalProperties']);
    const properties = shapesOf(schema.properties, additional !== undefined);
    const items = shapeOf(schema['items']);
    if (leaf === undefined && !isNamed && (alternatives ?? properties ?? additional ?? items) === undefined)
      return undefined;
    return {
      ...leaf,
      ...(isNamed && { $ref: schema.$ref }),
      ...optional('allOf', alternatives),
      ...optional('properties', properties),
      ...optional('additionalProperties', additional),
      ...optional('items', items),
    };
  }

  function shapesIn(schema: SchemaObject): readonly Shape[] | undefined {
    let shapes: Shape[] | undefined;
    for (const keyword of IN_PLACE_LISTS) {
      for (const part of schema[keyword] ?? []) {
        const shape = shapeOf(part);
        if (shape !== undefined) (shapes ??= []).push(shape);
      }
    }
    return shapes;
  }

  // If `additionalProperties` has selected values, lists all properties, since these are not additional.
  function shapesOf(schemas: SchemaObject['properties'] = {}, all: boolean): Shapes | undefined {
    let shapes: [string, Shape][] | undefined;
    for (const [name, schema] of Object.entries(schemas)) {
      const shape = shapeOf(schema) ?? (all ? {} : undefined);
      if (shape !== undefined) (shapes ??= []).push([name, shape]);
    }
    return shapes && Object.fromEntries(shapes);
  }
}

/** Finds the locations of int64s. */
export function findInt64s(document: OpenApiDocument): ShapeFinder {
  return findShapes(
    document,
    (schema) => (describesInt64(schema) ? { int64: true } : undefined),
    (key, value) => key === 'format' && value === 'int64',
  );
}

/** Returns whether a schema describes an int64. */
export function describesInt64({ type, format }: SchemaObject): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

function collectReferences(node: object, references: Set<string>): void {
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (key === '$ref' && typeof value === 'string') references.add(value);
    else if (typeof value === 'object' && value !== null) collectReferences(value, references);
  }
}
