/** A parsed and validated document. */
export type OpenApiDocument = { readonly openapi: string } & Record<string, unknown>;

/** A schema of a validated document. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Follows the `$ref`s of a node to the final target. Returns nodes without `$ref` unchanged. */
export function dereference(document: OpenApiDocument, node: unknown): unknown {
  const reference = (node as { $ref?: unknown } | null | undefined)?.$ref;
  return typeof reference === 'string' ? dereference(document, resolveReference(document, reference)) : node;
}

/**
 * Returns a schema and all schemas that it applies to the same value, without duplicates.
 *
 * @param keywords the lists to follow: `allOf`, or all of `IN_PLACE_LISTS`
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

/** Returns the target of a local reference (`#/components/schemas/Pet`); `undefined` if it is absent. */
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

/** Percent-decodes a text. Returns malformed texts unchanged. */
export function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // The percent sign is literal.
  }
}
