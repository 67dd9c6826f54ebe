import { kindOf } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';
import type { Schema, SchemaDocument } from '../values/dialect.ts';
import type { Json } from '../values/json-value.ts';
import { flatten, scalarTypesOf } from '../values/schema-merge.ts';
import { itemsPlace } from './list-items.ts';
import { allPropertiesOf, propertyOf } from '../values/schema-property.ts';

/** The items of a list: where they are in a response, and their schema. */
export type Items = { readonly place: readonly string[]; readonly schema: Schema };

/** The levels of objects that a list may be in. */
const OUTLINE_DEPTH = 2;

/** Returns the place and the schema of the items of a list; `undefined` where the document is not clear. */
export function findItems(
  operation: ApiOperation,
  schema: Schema | undefined,
  schemas: SchemaDocument,
): Items | undefined {
  const place = itemsPlace(outlineOf(schema, schemas, OUTLINE_DEPTH), operation);
  const items = place && itemsOf(schemaAt(schemas, schema, place), schemas);
  return place === undefined || items === undefined ? undefined : { place, schema: items };
}

/** Returns a value with the lists of a schema, which have an object or a number each. */
function outlineOf(schema: Schema | undefined, schemas: SchemaDocument, depth: number): Json {
  const items = itemsOf(schema, schemas);
  if (items !== undefined) return [scalarTypesOf(schemas, items).length > 0 ? 0 : {}];
  const members = depth === 0 ? [] : Object.entries(allPropertiesOf(schemas, schema));
  return Object.fromEntries(members.map(([name, member]) => [name, outlineOf(member, schemas, depth - 1)]));
}

/** Returns the schemas of the items in the successful responses of a list. */
export function itemSchemas(list: ApiOperation | undefined, schemas: SchemaDocument): readonly Schema[] {
  if (list === undefined) return [];
  const found = successSchemas(list).map((schema) => findItems(list, schema, schemas)?.schema);
  return found.filter((schema) => schema !== undefined);
}

/** Returns the schema of the member at a place. */
export function schemaAt(
  schemas: SchemaDocument,
  schema: Schema | undefined,
  place: readonly string[],
): Schema | undefined {
  return place.reduce((outer, name) => propertyOf(schemas, outer, name), schema);
}

/** Returns the schemas of the JSON bodies of successful responses; `default` is one where no 2xx is documented. */
export function successSchemas({ responses }: ApiOperation): readonly (Schema | undefined)[] {
  const keys = Object.keys(responses).filter((status) => status.startsWith('2'));
  const contents = (keys.length > 0 ? keys : ['default']).flatMap((key) => responses[key]?.contents ?? []);
  return contents.filter(({ mediaType }) => kindOf(mediaType) === 'json').map(({ schema }) => schema);
}

/** Returns the schema of the items of a list; `undefined` for other values. */
export function itemsOf(schema: Schema | undefined, schemas: SchemaDocument): Schema | undefined {
  const flat = schema === undefined ? false : flatten(schemas, schema);
  if (typeof flat === 'boolean') return undefined;
  // The linter has checked the shape of this keyword.
  const { items, type } = flat as { readonly items?: Schema; readonly type?: string | readonly string[] };
  return items ?? ([type].flat().includes('array') ? true : undefined);
}
