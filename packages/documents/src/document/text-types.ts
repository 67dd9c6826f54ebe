import { type ByteLimits, IN_PLACE_LISTS, isJsonRange, type TextType } from '@contract-first/contract';
import { optional } from './map-values.ts';
import {
  type OpenApiDocument,
  describedProperties,
  resolveSchema,
  type SchemaObject,
  schemasInPlace,
} from './reference.ts';

type Scalar = TextType['scalars'][number];

const SCALARS: Readonly<Record<string, Scalar>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  null: 'null',
};

// The maximum depth of text formats: a form has fields, a field has items, an item has members.
const MAX_DEPTH = 4;

/**
 * Returns the types that the text of a parameter or form field can represent.
 *
 * @param hasFiles whether a field can be a file, as in multipart forms
 */
export function textTypeOf(document: OpenApiDocument, node: unknown, hasFiles = false): TextType {
  return readTextType(document, node, hasFiles, 0, new Map());
}

/** Whether JSON in a media range is parsed: the schema describes a value, not bytes. */
export function describesJson(
  document: OpenApiDocument,
  mediaType: string,
  { schema }: { readonly schema?: unknown },
): boolean {
  const isDescribed = DESCRIPTIONS.some((keyword) => keyword in resolveSchema(document, schema));
  return isJsonRange(mediaType) && isDescribed && textTypeOf(document, schema, true).file !== true;
}

// A schema without these keywords allows any value. A body with this schema may be bytes, which are not JSON.
const DESCRIPTIONS = ['type', 'enum', 'const', 'properties', ...IN_PLACE_LISTS];

/**
 * Returns how the plain text of a body is read: as a string, as another scalar, or not at all, since no format is defined for
 * lists and objects.
 */
export function plainTextTypeOf(document: OpenApiDocument, node: unknown): 'string' | TextType | undefined {
  if (allowsString(document, node)) return 'string';
  const type = textTypeOf(document, node);
  return type.items === undefined && type.properties === undefined ? type : undefined;
}

function allowsString(document: OpenApiDocument, node: unknown): boolean {
  const schema = resolveSchema(document, node);
  const types = typesOf(schema);
  const { allOf = [], anyOf, oneOf } = schema;
  const allows = (part: unknown): boolean => allowsString(document, part);
  if ((types.length > 0 && !types.includes('string')) || !allOf.every(allows)) return false;
  const alternatives = anyOf ?? oneOf;
  return alternatives === undefined || alternatives.some(allows);
}

/** @param cache the types by depth and schema, which many references may lead to; empty for a schema that is being read */
function readTextType(
  document: OpenApiDocument,
  node: unknown,
  hasFiles: boolean,
  depth: number,
  cache: Map<number, Map<unknown, TextType>>,
): TextType {
  const schema = resolveSchema(document, node);
  if (depth > MAX_DEPTH) return { scalars: ['string'] };
  const ofDepth = cache.get(depth) ?? new Map<unknown, TextType>();
  cache.set(depth, ofDepth);
  const found = ofDepth.get(schema);
  if (found !== undefined) return found;
  ofDepth.set(schema, { scalars: [] });
  const type = combine();
  ofDepth.set(schema, type);
  return type;

  function combine(): TextType {
    const read = (part: unknown, deeper = 0): TextType => readTextType(document, part, hasFiles, depth + deeper, cache);
    const parts = IN_PLACE_LISTS.flatMap((keyword) => schema[keyword] ?? []).map((part) => read(part));

    const types = typesOf(schema);
    // `properties` has no effect if the schema does not allow objects.
    const allowsObject = schema.type === undefined || types.includes('object');
    const properties = Object.entries(allowsObject ? describedProperties(schema) : {}).map(
      ([name, member]) => [name, read(member, 1)] as const,
    );
    const items = types.includes('array') ? read(schema['items'], 1) : undefined;
    const isObject = types.includes('object') || properties.length > 0 || parts.some((part) => part.properties);
    const scalars = new Set([
      ...types.flatMap((type) => SCALARS[type] ?? []),
      ...parts.flatMap((part) => part.scalars),
    ]);
    if (scalars.has('number')) scalars.delete('integer');
    const listed = items ?? parts.find((part) => part.items)?.items;
    if (scalars.size === 0 && listed === undefined && !isObject) scalars.add('string');
    const isEither = listed !== undefined && scalars.size > 0;
    return {
      scalars: [...scalars],
      ...optional('texts', isEither && scalars.has('string') ? textsOf(document, [schema]) : undefined),
      ...(hasFiles &&
        (isFile(schema) || parts.some((part) => part.file)) && {
          file: true as const,
          ...optional('bytes', byteLimitsOf(document, schema)),
        }),
      ...optional('additional', allowsObject ? additionalOf() : undefined),
      ...(listed && { items: isEither && listed.scalars.includes('string') ? withTexts(listed) : listed }),
      ...(isObject && {
        properties: Object.fromEntries([
          ...parts.flatMap((part) => Object.entries(part.properties ?? {})),
          ...properties,
        ]),
      }),
    };

    /** Adds the strings that the schemas of the items list. */
    function withTexts(type: TextType): TextType {
      const lists = [...schemasInPlace(document, schema, IN_PLACE_LISTS)].filter((part) =>
        typesOf(part).includes('array'),
      );
      return {
        ...type,
        ...optional(
          'texts',
          textsOf(
            document,
            lists.map((part) => part['items'] ?? {}),
          ),
        ),
      };
    }

    /** Returns the type of the members that the schema or its parts explicitly allow beside their properties. */
    function additionalOf(): TextType | undefined {
      const { additionalProperties, unevaluatedProperties, patternProperties } = schema;
      const others = [additionalProperties, unevaluatedProperties].filter((it) => it !== undefined && it !== false);
      // The names of files in forms are listed or any.
      const matching = hasFiles ? [] : Object.values(Object(patternProperties) as Readonly<Record<string, unknown>>);
      // `additionalProperties: false` also forbids the members that the parts allow.
      const ofParts = additionalProperties === false ? [] : parts.flatMap(({ additional }) => additional ?? []);
      const types = [...[...others, ...matching].map((member) => read(member, 1)), ...ofParts];
      return types.length < 2 ? types[0] : { scalars: [...new Set(types.flatMap(({ scalars: all }) => all))] };
    }
  }
}

/** Returns the strings that schemas allow; `undefined` if one of them does not list its strings. */
function textsOf(document: OpenApiDocument, nodes: readonly unknown[]): readonly string[] | undefined {
  const parts = nodes.flatMap((node) => [...schemasInPlace(document, node, IN_PLACE_LISTS)]);
  const lists = parts.map((schema) => {
    const types = typesOf(schema);
    if (types.length > 0 && !types.includes('string')) return [];
    const values = 'const' in schema ? [schema['const']] : schema.enum;
    if (values !== undefined) return values.filter((value) => typeof value === 'string');
    return types.length === 0 && IN_PLACE_LISTS.some((keyword) => keyword in schema) ? [] : undefined;
  });
  const known = lists.filter((list) => list !== undefined);
  return known.length < lists.length ? undefined : known.flat();
}

/** Returns the declared types of a schema, or else the types of its `const` or `enum` values. */
function typesOf(schema: SchemaObject): readonly string[] {
  const named = [schema.type ?? []].flat();
  if (named.length > 0) return named;
  const values = 'const' in schema ? [schema['const']] : (schema.enum ?? []);
  return values.map((value) => (value === null ? 'null' : typeof value === 'bigint' ? 'number' : typeof value));
}

/** Returns whether a schema in a form describes a file. */
function isFile({ format, contentMediaType, contentEncoding }: SchemaObject): boolean {
  return format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
}

/** Returns the size limits of a schema for bytes, `minLength` and `maxLength`; `undefined` if it has none. */
export function byteLimitsOf(document: OpenApiDocument, node: unknown): ByteLimits | undefined {
  const parts = [...schemasInPlace(document, node, ['allOf'])];
  const min = Math.max(0, ...parts.map(({ minLength = 0 }) => minLength));
  const max = Math.min(Infinity, ...parts.map(({ maxLength = Infinity }) => maxLength));
  if (min === 0 && max === Infinity) return undefined;
  return { ...(min > 0 && { min }), ...(max < Infinity && { max }) };
}
