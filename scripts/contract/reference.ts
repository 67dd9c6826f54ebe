import type { OpenApiDocument } from './load.ts';

/** What a node of a bundled document stands for: itself, or what its `$ref` names, followed to the end. */
export function dereference(document: OpenApiDocument, node: unknown): unknown {
  const reference = (node as { $ref?: unknown } | null | undefined)?.$ref;
  return typeof reference === 'string' ? dereference(document, resolveReference(document, reference)) : node;
}

/** The node that a local reference (`#/components/schemas/Plant`) names; `undefined` when there is none. */
export function resolveReference(document: OpenApiDocument, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, token) => (node as Record<string, unknown> | undefined)?.[token], document);
}

/** A name as a token of a JSON pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
