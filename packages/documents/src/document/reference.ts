/** Parsed JSON or YAML whose shape the linter has checked. */
export type OpenApiDocument = { readonly openapi: string } & Record<string, unknown>;

/** A schema, whose keywords have the shapes that the linter has checked. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Follows the `$ref` of a node, repeatedly; returns nodes without one unchanged. */
export function dereference(document: OpenApiDocument, node: unknown): unknown {
  const reference = (node as { $ref?: unknown } | null | undefined)?.$ref;
  return typeof reference === 'string' ? dereference(document, resolveReference(document, reference)) : node;
}

/**
 * Returns a schema and the schemas that it applies to the same value, each once.
 *
 * @param keywords the lists that are followed: `allOf`, or all of `IN_PLACE_LISTS`
 */
export function schemasInPlace(
  document: OpenApiDocument,
  node: unknown,
  keywords: readonly string[],
  found = new Set<SchemaObject>(),
): ReadonlySet<SchemaObject> {
  const schema = dereference(document, node);
  if (typeof schema !== 'object' || schema === null || found.has(schema as SchemaObject)) return found;
  found.add(schema as SchemaObject);
  const parts = keywords.flatMap((keyword) => ((schema as SchemaObject)[keyword] ?? []) as readonly unknown[]);
  for (const part of parts) schemasInPlace(document, part, keywords, found);
  return found;
}

/** Returns the node that a local reference (`#/components/schemas/Pet`) points at; `undefined` when it is absent. */
export function resolveReference(document: OpenApiDocument, reference: string): unknown {
  return tokensOf(reference).reduce<unknown>(
    (node, token) => (node as Record<string, unknown> | undefined)?.[token],
    document,
  );
}

/** Splits a local reference into names and indices. */
export function tokensOf(reference: string): readonly string[] {
  return reference
    .slice(2)
    .split('/')
    .map((token) => decode(token).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Decodes the percent signs of a reference or a parameter; returns other texts unchanged. */
export function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // The percent sign is part of the text.
  }
}
