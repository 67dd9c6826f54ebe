import { kindOf } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';
import type { JsonSchema, SchemaDocument } from '../values/json-schema.ts';
import type { Json } from '../values/json-value.ts';
import { mergeAllOf, scalarTypesOf } from '../values/schema-merge.ts';
import { itemsPlace } from './list-items.ts';
import { allPropertiesOf, propertyOf } from '../values/schema-property.ts';

/** The place of the items in a list response, and their schema. */
export type Items = { readonly place: readonly string[]; readonly schema: JsonSchema };

/** The maximum depth of objects around a list. */
const OUTLINE_DEPTH = 2;

/** Returns the place and the schema of the items of a list; `undefined` if ambiguous. */
export function findItems(
  operation: ApiOperation,
  schema: JsonSchema | undefined,
  schemas: SchemaDocument,
): Items | undefined {
  const place = itemsPlace(outlineOf(schema, schemas, OUTLINE_DEPTH), operation);
  const items = place && itemsOf(schemaAt(schemas, schema, place), schemas);
  return place === undefined || items === undefined ? undefined : { place, schema: items };
}

/** Returns whether a list is an object that has the items by their ids, and no other members. */
export function isListById(schema: JsonSchema | undefined, schemas: SchemaDocument): boolean {
  const flat = schema === undefined ? false : mergeAllOf(schemas, schema);
  if (typeof flat === 'boolean' || Object.keys(allPropertiesOf(schemas, flat)).length > 0) return false;
  const { additionalProperties: items } = flat as { readonly additionalProperties?: JsonSchema }; // Validated document.
  return typeof items === 'object';
}

/** Returns a sample value with the lists of a schema, each with one object or number. */
function outlineOf(schema: JsonSchema | undefined, schemas: SchemaDocument, depth: number): Json {
  const items = itemsOf(schema, schemas);
  if (items !== undefined) return [scalarTypesOf(schemas, items).length > 0 ? 0 : {}];
  const members = depth === 0 ? [] : Object.entries(allPropertiesOf(schemas, schema));
  return Object.fromEntries(members.map(([name, member]) => [name, outlineOf(member, schemas, depth - 1)]));
}

/** Returns the schemas of the items in the successful responses of a list. */
export function itemSchemas(list: ApiOperation | undefined, schemas: SchemaDocument): readonly JsonSchema[] {
  if (list === undefined) return [];
  const found = successSchemas(list).map((schema) => findItems(list, schema, schemas)?.schema);
  return found.filter((schema) => schema !== undefined);
}

/** Returns the schema of the part at a place. */
export function schemaAt(
  schemas: SchemaDocument,
  schema: JsonSchema | undefined,
  place: readonly string[],
): JsonSchema | undefined {
  return place.reduce((outer, name) => propertyOf(schemas, outer, name), schema);
}

/** Returns the schemas of the JSON bodies of successful responses: of 2xx, or else of `default`. */
export function successSchemas({ responses }: ApiOperation): readonly (JsonSchema | undefined)[] {
  const keys = Object.keys(responses).filter((status) => status.startsWith('2'));
  const contents = (keys.length > 0 ? keys : ['default']).flatMap((key) => responses[key]?.contents ?? []);
  return contents.filter(({ mediaType }) => kindOf(mediaType) === 'json').map(({ schema }) => schema);
}

/** Returns the schema of the items of a list; `undefined` for other values. */
export function itemsOf(schema: JsonSchema | undefined, schemas: SchemaDocument): JsonSchema | undefined {
  const flat = schema === undefined ? false : mergeAllOf(schemas, schema);
  if (typeof flat === 'boolean') return undefined;
  // Validated document.
  const { items, type } = flat as { readonly items?: JsonSchema; readonly type?: string | readonly string[] };
  return items ?? ([type].flat().includes('array') ? true : undefined);
}
