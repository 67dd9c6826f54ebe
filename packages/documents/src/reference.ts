/** Parsed JSON or YAML whose shape the linter has checked. */
export type OpenApiDocument = { readonly openapi: string } & Record<string, unknown>;

/** Follows the `$ref` of a node, repeatedly; returns nodes without one unchanged. */
export function dereference(document: OpenApiDocument, node: unknown): unknown {
  const reference = (node as { $ref?: unknown } | null | undefined)?.$ref;
  return typeof reference === 'string' ? dereference(document, resolveReference(document, reference)) : node;
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
