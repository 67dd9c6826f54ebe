import { isInPlaceList, memoizeByObject, SCHEMA_KEYWORDS, stringifyJson } from '@contract-first/contract';
import {
  constrainAlternatives,
  describedProperties,
  unusedName,
  type OpenApiDocument,
} from '@contract-first/documents';

/** A JSON Schema 2020-12 with absolute references, so that it can be compiled separately from its document. */
export type JsonSchema = boolean | JsonSchemaObject;
export type JsonSchemaObject = Readonly<Record<string, unknown>>;

/** A document with schemas for one direction, and the base URI of its references. */
export type SchemaDocument = {
  readonly id: string;
  readonly document: OpenApiDocument;
  /** The names of all properties that only the other direction has. */
  readonly removed: ReadonlySet<string>;
};

const DATA = ['example', 'examples'];
const PREFIX = '#/components/schemas/';

/**
 * Converts every schema of a prepared document to plain JSON Schema 2020-12 for one direction.
 *
 * @param direction removes `readOnly` properties from requests or `writeOnly` properties from responses (OpenAPI 3.1,
 *   4.8.24.5)
 */
export function readSchemas(document: OpenApiDocument, direction: 'request' | 'response'): SchemaDocument {
  return direction === 'request' ? requestSchemas(document) : responseSchemas(document);
}

const requestSchemas = memoizeByObject((document: OpenApiDocument) => convert(document, 'request'));
const responseSchemas = memoizeByObject((document: OpenApiDocument) => convert(document, 'response'));

function convert(document: OpenApiDocument, direction: 'request' | 'response'): SchemaDocument {
  const id = `https://contract.invalid/${direction}`;
  const { schemas } = (document['components'] ?? {}) as { readonly schemas?: JsonSchemaObject };
  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  const removed = new Set<string>();
  // Component schemas without the properties that another schema of the same value excludes, by name and properties.
  const reduced = new Map<string, { readonly name: string; schema: unknown }>();
  // Validated document.
  const converted = convertNode(document) as OpenApiDocument;
  const { components = {} } = converted as { readonly components?: JsonSchemaObject };
  const named = { ...(components['schemas'] as JsonSchemaObject) };
  for (const { name, schema } of reduced.values()) named[name] = schema;
  return { id, document: { ...converted, components: { ...components, schemas: named } }, removed };

  function convertNode(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(convertNode);
    if (!isRecord(node)) return node;
    return mapRecord(node, (value, key) => {
      if (DATA.includes(key)) return withoutIds(value);
      if (key === 'schema') return convertSchema(value);
      return key === 'schemas' && isRecord(value)
        ? mapRecord(value, (schema) => convertSchema(schema))
        : convertNode(value);
    });
  }

  /** @param inherited the properties that other schemas of the same value exclude */
  function convertSchema(schema: unknown, inherited: ReadonlySet<string> = new Set()): unknown {
    if (!isRecord(schema)) return schema;
    const excluded = inherited.union(marked(schema));
    excluded.forEach((name) => removed.add(name));
    const converted = mapRecord(schema, (value, keyword) => {
      if (keyword === '$ref' && typeof value === 'string' && value.startsWith('#')) return id + refer(value, excluded);
      if (DATA.includes(keyword)) return withoutIds(value);
      const { holds } = SCHEMA_KEYWORDS[keyword] ?? {};
      const inherited = isInPlaceList(keyword) ? excluded : undefined;
      if (holds === 'one') return convertSchema(value);
      if (holds === 'list' && Array.isArray(value)) return value.map((part) => convertSchema(part, inherited));
      return holds === 'map' && isRecord(value) ? mapRecord(value, (member) => convertSchema(member)) : value;
    });
    const absent = direction === 'response' && excluded.size > 0 ? { absentMembers: [...excluded] } : {};
    return markIntegers(constrainAlternatives({ ...without(converted, excluded), ...absent }));
  }

  /** Returns the names of the properties that a schema, its references or its `allOf` mark. */
  function marked(schema: unknown): ReadonlySet<string> {
    const properties = partsOf(schema).flatMap((part) => Object.entries(describedProperties(part)));
    const isMarked = ([, property]: readonly [string, unknown]) =>
      partsOf(property).some((part) => part[mark] === true);
    return new Set(properties.filter(isMarked).map(([name]) => name));
  }

  /** Returns a schema with its references and `allOf` parts: a valid value conforms to all of them. */
  function partsOf(schema: unknown): readonly JsonSchemaObject[] {
    const parts = new Set([schema]);
    // The loop also visits parts that are added meanwhile.
    for (const part of parts) {
      if (!isRecord(part)) continue;
      const { $ref, allOf = [] } = part as { readonly $ref?: unknown; readonly allOf?: readonly unknown[] };
      for (const member of allOf) parts.add(member);
      if (typeof $ref === 'string') parts.add(schemas?.[$ref.slice(PREFIX.length)]);
    }
    return [...parts].filter(isRecord);
  }

  /** Returns a reference to a copy of the schema without the excluded properties, unless it excludes them itself. */
  function refer(reference: string, excluded: ReadonlySet<string>): string {
    const original = reference.slice(PREFIX.length);
    const target = reference.startsWith(PREFIX) ? schemas?.[original] : undefined;
    const names = excluded.difference(marked(target));
    if (target === undefined || names.size === 0) return reference;
    const key = JSON.stringify([original, ...[...names].sort()]);
    let entry = reduced.get(key);
    if (entry === undefined) {
      const taken = new Set([...Object.keys(schemas ?? {}), ...reduced.values().map(({ name }) => name)]);
      entry = { name: unusedName(original, (name) => taken.has(name)), schema: true };
      reduced.set(key, entry); // Registered first, for recursive references.
      entry.schema = convertSchema(target, names);
    }
    return PREFIX + entry.name;
  }
}

/** Omits an example that Ajv would treat as a schema with an `$id`. */
function withoutIds(example: unknown): unknown {
  return stringifyJson(example).includes('"$id"') ? undefined : example;
}

/** Removes properties from a schema. */
function without(schema: JsonSchemaObject, names: ReadonlySet<string>): JsonSchemaObject {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))),
    }),
    ...(Array.isArray(required) && { required: (required as string[]).filter((name) => !names.has(name)) }),
  };
}

/** Adds the oracle's keyword `exactInteger` to integers: it compares digits, whereas Ajv compares doubles. */
function markIntegers(schema: JsonSchemaObject): JsonSchemaObject {
  const types = [schema['type']].flat();
  if (!types.includes('integer') || types.includes('number')) return schema;
  return { ...schema, exactInteger: schema['format'] === 'int64' ? 'int64' : 'any' };
}

function isRecord(value: unknown): value is JsonSchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapRecord(record: JsonSchemaObject, map: (value: unknown, key: string) => unknown): JsonSchemaObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns whether a schema allows only null. */
export function isNull(schema: JsonSchema): boolean {
  return typeof schema !== 'boolean' && schema['type'] === 'null';
}
