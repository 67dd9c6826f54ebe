import { type IN_PLACE_LISTS, unescapePointer } from '@contract-first/contract';

/** A parsed and validated document. */
export type OpenApiDocument = { readonly openapi: string } & Record<string, unknown>;

/** A schema of a validated document. */
export type SchemaObject = {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly patternProperties?: Readonly<Record<string, unknown>>;
  readonly allOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
};

/** The pattern that describes a property named `__proto__` in a normalized document, since Ajv ignores it in `properties`. */
export const PROTOTYPE_PATTERN = '^__proto__$';

/** A keyword with a list of schemas for the same value. */
export type InPlaceList = (typeof IN_PLACE_LISTS)[number];

/** An object that refers to another part of a document. */
export type Reference = { readonly $ref: string };

/** Follows the `$ref`s of a node to the final target. Returns nodes without `$ref` unchanged. */
export function dereference<Node>(document: OpenApiDocument, node: Node | Reference): Node {
  const reference = (node as Partial<Reference> | null | undefined)?.$ref;
  // In a validated document, references lead to nodes of the expected type.
  return typeof reference === 'string'
    ? dereference(document, resolveReference(document, reference) as Node | Reference)
    : (node as Node);
}

/**
 * Returns a path item with the members of the path item that its `$ref` leads to. Members beside a `$ref` take
 * precedence.
 */
export function resolvePathItem(document: OpenApiDocument, node: unknown): Readonly<Record<string, unknown>> {
  const { $ref: reference, ...members } = Object(node) as Readonly<Record<string, unknown>>;
  if (typeof reference !== 'string') return members;
  return { ...resolvePathItem(document, resolveReference(document, reference)), ...members };
}

/** Returns a schema of a validated document; `undefined` for a boolean or an absent schema, which have no keywords. */
export function asSchema(node: unknown): SchemaObject | undefined {
  // In a validated document, the keywords have their types.
  return typeof node === 'object' && node !== null ? (node as SchemaObject) : undefined;
}

/** Returns the properties that a schema of a normalized document describes, by name. */
export function describedProperties({
  properties = {},
  patternProperties = {},
}: SchemaObject): Readonly<Record<string, unknown>> {
  const prototype = patternProperties[PROTOTYPE_PATTERN];
  return prototype === undefined ? properties : { ...properties, ['__proto__']: prototype };
}

/** Returns the keywords that describe properties in a normalized document. */
export function describeProperties(properties: Readonly<Record<string, unknown>>): SchemaObject {
  if (!Object.hasOwn(properties, '__proto__')) return { properties };
  const { ['__proto__']: prototype, ...others } = properties;
  return { properties: others, patternProperties: { [PROTOTYPE_PATTERN]: prototype } };
}

/** Follows the `$ref`s of a schema. Returns an empty schema for a schema without keywords. */
export function resolveSchema(document: OpenApiDocument, node: unknown): SchemaObject {
  return asSchema(dereference(document, node)) ?? {};
}

/**
 * Returns a schema and all schemas that it applies to the same value, without duplicates.
 *
 * @param keywords the lists to follow: `allOf`, or all of `IN_PLACE_LISTS`
 */
export function schemasInPlace(
  document: OpenApiDocument,
  node: unknown,
  keywords: readonly InPlaceList[],
  found = new Set<SchemaObject>(),
): ReadonlySet<SchemaObject> {
  const schema = asSchema(dereference(document, node));
  if (schema === undefined || found.has(schema)) return found;
  found.add(schema);
  const parts = keywords.flatMap((keyword) => schema[keyword] ?? []);
  for (const part of parts) schemasInPlace(document, part, keywords, found);
  return found;
}

/** Returns the target of a local reference (`#/components/schemas/Pet`); `undefined` if it is absent. */
export function resolveReference(document: OpenApiDocument, reference: string): unknown {
  return tokensOf(reference).reduce<unknown>((node, token) => {
    const isMember = typeof node === 'object' && node !== null && Object.hasOwn(node, token);
    return isMember ? (node as Record<string, unknown>)[token] : undefined;
  }, document);
}

/** Splits a local reference into names and indices. */
export function tokensOf(reference: string): readonly string[] {
  return reference
    .slice(2)
    .split('/')
    .map((token) => unescapePointer(decode(token)));
}

/** Percent-decodes a text. Returns malformed texts unchanged. */
export function decode(token: string): string {
  if (!token.includes('%')) return token;
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // The percent sign is literal.
  }
}
