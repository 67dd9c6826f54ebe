import type { Int64Shape } from '../../src/engine/contract/int64.ts';
import type { OpenApiDocument } from './load.ts';
import { optional } from './optional.ts';
import { resolveReference } from './reference.ts';

type Schema = {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly allOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
};

/** Tells where a document's schemas have their int64s. */
export type Int64Finder = {
  /** The shape of one schema; `undefined` when it leads to no int64. */
  readonly shapeOf: (schema: unknown) => Int64Shape | undefined;
  /** The shapes that `$ref`s name, by the text of the reference. */
  readonly named: Readonly<Record<string, Int64Shape>>;
};

/** Looks for the int64s behind every schema that a document refers to. */
export function findInt64s(document: OpenApiDocument): Int64Finder {
  const named: Record<string, Int64Shape> = {};
  const references = new Set<string>();
  collectReferences(document, references);

  // A reference leads to an int64 when its target does, perhaps by way of other references, perhaps of itself: look
  // again until nothing new is found, then once more for the shapes.
  for (let found = -1; found !== Object.keys(named).length;) {
    found = Object.keys(named).length;
    for (const reference of references) {
      const shape = shapeOf(resolveReference(document, reference));
      if (shape !== undefined) named[reference] = shape;
    }
  }
  return { shapeOf, named };

  function shapeOf(node: unknown): Int64Shape | undefined {
    if (typeof node !== 'object' || node === null) return undefined;
    const schema = node as Schema;
    const alternatives = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => list ?? []);
    const additional = shapeOf(schema['additionalProperties']);
    const shape = {
      ...([schema.type].flat().includes('integer') && schema['format'] === 'int64' && { int64: true as const }),
      ...(typeof schema['$ref'] === 'string' && Object.hasOwn(named, schema['$ref']) && { $ref: schema['$ref'] }),
      ...optional('allOf', nonEmpty(alternatives.map(shapeOf).filter((part) => part !== undefined))),
      ...optional('properties', shapesOf(schema.properties, additional !== undefined)),
      ...optional('additionalProperties', additional),
      ...optional('items', shapeOf(schema['items'])),
    };
    return Object.keys(shape).length === 0 ? undefined : shape;
  }

  // Where `additionalProperties` has int64s, those without one are kept too: they are not additional.
  function shapesOf(schemas: Schema['properties'] = {}, all: boolean): Record<string, Int64Shape> | undefined {
    const entries = Object.entries(schemas).flatMap(([name, schema]) => {
      const shape = shapeOf(schema) ?? (all ? {} : undefined);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
}

function collectReferences(node: unknown, references: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') references.add(value);
    else collectReferences(value, references);
  }
}

function nonEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}
