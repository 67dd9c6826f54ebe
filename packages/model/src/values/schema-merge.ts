import { resolveReference, type OpenApiDocument } from '@contract-first/documents';
import type { JsonSchema, SchemaDocument, JsonSchemaObject } from './json-schema.ts';
import { isNumber } from './json-value.ts';

/** A document with the base URI of its references. */
type Schemas = Pick<SchemaDocument, 'id' | 'document'>;

/** The merged schemas of each document. */
const flattened = new WeakMap<OpenApiDocument, WeakMap<JsonSchemaObject, JsonSchema>>();

/**
 * Resolves the reference of a schema and merges its `allOf`. Merges exactly only the keywords that generation uses,
 * since the oracle validates every generated value with the original schema.
 *
 * @returns `false` if the parts exclude each other
 */
export function mergeAllOf(schemas: Schemas, schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const known = flattened.get(schemas.document) ?? new WeakMap<JsonSchemaObject, JsonSchema>();
  flattened.set(schemas.document, known);
  const flat = known.get(schema) ?? mergeParts(schemas, schema, new Set());
  known.set(schema, flat);
  return flat;
}

/** @param merged the already merged schemas, since several references may have the same target */
function mergeParts(schemas: Schemas, schema: JsonSchema, merged: Set<unknown>): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  if (merged.has(schema)) return true;
  merged.add(schema);
  const { id, document } = schemas;
  const { $ref: reference, allOf = [], ...rest } = schema;
  const parts = [...(allOf as readonly JsonSchema[])];
  if (typeof reference === 'string' && reference.startsWith(id)) {
    parts.unshift(resolveReference(document, reference.slice(id.length)) as JsonSchema); // Validated document.
  }
  return parts.reduce<JsonSchema>((joined, part) => join(joined, mergeParts(schemas, part, merged)), rest);
}

/** Returns the scalar types that a schema may allow. */
export function scalarTypesOf(document: SchemaDocument, schema: JsonSchema): readonly string[] {
  const flat = mergeAllOf(document, schema);
  if (typeof flat === 'boolean') return flat ? SCALARS : [];
  const { type = SCALARS, anyOf, oneOf } = flat;
  // Validated document.
  const own = ([type].flat() as string[]).filter((name) => SCALARS.includes(name));
  const lists = [anyOf, oneOf] as (readonly JsonSchema[] | undefined)[];
  return lists.reduce(
    (types, list) => (list === undefined ? types : types.filter((name) => list.some((part) => isIn(name, part)))),
    own,
  );

  function isIn(name: string, part: JsonSchema): boolean {
    return scalarTypesOf(document, part).includes(name);
  }
}

/** Finds a schema for the part at a place of a value that satisfies a condition. */
export function findSchemaAt(
  schemas: Schemas,
  schema: JsonSchema,
  place: readonly (string | number)[],
  isWanted: (schema: JsonSchemaObject) => boolean,
): JsonSchemaObject | undefined {
  const flat = mergeAllOf(schemas, schema);
  if (typeof flat === 'boolean') return undefined;
  const [key, ...rest] = place;
  const { properties, additionalProperties, items, anyOf = [], oneOf = [] } = flat;
  for (const part of [...(anyOf as readonly JsonSchema[]), ...(oneOf as readonly JsonSchema[])]) {
    // Validated document.
    const found = findSchemaAt(schemas, part, place, isWanted);
    if (found !== undefined) return found;
  }
  if (key === undefined) return isWanted(flat) ? flat : undefined;
  const named = (properties ?? {}) as Readonly<Record<string, JsonSchema>>; // Validated document.
  const own = typeof key === 'number' ? items : Object.hasOwn(named, key) ? named[key] : additionalProperties;
  return findSchemaAt(schemas, (own ?? true) as JsonSchema, rest, isWanted);
}

const SCALARS = ['string', 'number', 'integer', 'boolean'];

/** Merges two schemas to a schema that allows approximately the values that both allow. */
export function join(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (one === false || other === false) return false;
  if (one === true) return other;
  if (other === true) return one;
  const joined: Record<string, unknown> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const existing = joined[keyword];
    joined[keyword] = existing === undefined ? value : joinKeyword(keyword, existing, value);
  }
  if ('properties' in joined) joined['properties'] = joinProperties(one, other);
  const { type, enum: values } = joined;
  return [type, values].some((list) => Array.isArray(list) && list.length === 0) ? false : joined;
}

// The casts rely on a validated document.
function joinKeyword(keyword: string, one: unknown, other: unknown): unknown {
  switch (keyword) {
    case 'type':
      return joinTypes([one].flat() as string[], [other].flat() as string[]);
    case 'required':
      return [...new Set([...(one as string[]), ...(other as string[])])];
    case 'enum':
      return (one as unknown[]).filter((value) => (other as unknown[]).includes(value));
    case 'items':
    case 'additionalProperties':
      return { allOf: [one, other] };
    default:
      if (!isNumber(one) || !isNumber(other)) return other;
      if (/^(?:exclusiveM|m)in/.test(keyword)) return one > other ? one : other;
      return /^(?:exclusiveM|m)ax/.test(keyword) && one < other ? one : other;
  }
}

function joinTypes(one: readonly string[], other: readonly string[]): string[] {
  const isIn = (type: string, list: readonly string[]): boolean =>
    list.includes(type) || (type === 'integer' && list.includes('number'));
  return [...new Set([...one.filter((type) => isIn(type, other)), ...other.filter((type) => isIn(type, one))])];
}

/**
 * Merges the properties of two schemas. A property declared by one schema may be an additional property of the other.
 */
function joinProperties(one: JsonSchemaObject, other: JsonSchemaObject): JsonSchemaObject {
  const sides = [one, other].map(({ properties = {}, patternProperties, additionalProperties = true }) => ({
    properties: properties as JsonSchemaObject,
    rest: patternProperties === undefined ? additionalProperties : true,
  }));
  const names = new Set(sides.flatMap(({ properties }) => Object.keys(properties)));
  const schemasOf = (name: string): unknown[] =>
    sides.map(({ properties, rest }) => (Object.hasOwn(properties, name) ? properties[name] : rest));
  return Object.fromEntries(
    [...names].map((name) => {
      const schemas = schemasOf(name).filter((schema) => schema !== true);
      return [name, schemas.length === 1 ? schemas[0] : { allOf: schemas }];
    }),
  );
}

const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];

/** Returns the likely types of a schema without `type`. */
export function likelyTypes(schema: JsonSchemaObject): readonly string[] {
  if (['properties', 'required', 'additionalProperties'].some((keyword) => keyword in schema)) return ['object'];
  if (['items', 'prefixItems', 'minItems', 'maxItems'].some((keyword) => keyword in schema)) return ['array'];
  if (['minLength', 'maxLength', 'pattern', 'format'].some((keyword) => keyword in schema)) return ['string'];
  return ['minimum', 'maximum', 'multipleOf'].some((keyword) => keyword in schema) ? ['number'] : TYPES;
}
