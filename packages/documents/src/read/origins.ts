import type { BaseResolver, Document, LocationObject } from '@redocly/openapi-core';
import { escapePointer } from '@contract-first/contract';
import { decode, resolveReference, type OpenApiDocument } from '../document/reference.ts';

/** A node of a file. The pointer has no `#`. */
type Origin = { readonly file: Document; readonly pointer: string; readonly node: unknown };

/**
 * Reads where the nodes of a bundled document come from: the bundler moves the content of other files into it.
 *
 * @param root the document before it was bundled
 * @param resolver has read the other files
 * @returns a function from a JSON pointer (`#/paths/~1pets`) to its location in the file
 */
export async function findOrigins(
  bundled: OpenApiDocument,
  root: Document,
  resolver: BaseResolver,
): Promise<(pointer: string) => LocationObject> {
  const files = new Map([[root.source.absoluteRef, root]]);
  for (const [name, reading] of resolver.cache) {
    const read = await reading.catch(() => undefined); // An example elsewhere, which need not be readable.
    if (read !== undefined && 'source' in read) files.set(name, read);
  }
  // The pointers in the bundle at which the content of another place begins.
  const origins = new Map<string, Origin>();

  function visit(node: unknown, pointer: string, origin: Origin): void {
    const target = targetOf(origin);
    const bundledReference = (node as { $ref?: unknown } | null | undefined)?.$ref;
    if (target === undefined) {
      visitMembers(node, pointer, origin);
    } else if (typeof bundledReference === 'string') {
      const moved = decode(bundledReference).slice(1);
      if (!origins.has(moved)) enter(resolveReference(bundled, bundledReference), moved, target);
    } else {
      enter(node, pointer, target);
    }
  }

  function enter(node: unknown, pointer: string, origin: Origin): void {
    origins.set(pointer, origin);
    visit(node, pointer, origin);
  }

  function visitMembers(node: unknown, pointer: string, { file, pointer: own, node: original }: Origin): void {
    if (!isObject(node) || !isObject(original)) return;
    for (const [name, member] of Object.entries(node)) {
      const step = `/${escapePointer(name)}`;
      visit(member, pointer + step, { file, pointer: own + step, node: original[name] });
    }
  }

  function targetOf({ file, node }: Origin): Origin | undefined {
    const reference = isObject(node) ? node['$ref'] : undefined;
    if (typeof reference !== 'string') return undefined;
    const [path = '', fragment = ''] = reference.split('#');
    const { absoluteRef } = file.source;
    const next = files.get(path === '' ? absoluteRef : resolver.resolveExternalRef(absoluteRef, path));
    if (next === undefined) return undefined;
    const found = fragment === '' ? next.parsed : resolveReference(next.parsed as OpenApiDocument, `#${fragment}`);
    return { file: next, pointer: decode(fragment), node: found };
  }

  enter(bundled, '', { file: root, pointer: '', node: root.parsed });
  return (pointer) => {
    const wanted = pointer.replace(/^#/, '');
    const start = prefixes(wanted).find((prefix) => origins.has(prefix)) ?? '';
    const { file, pointer: own } = origins.get(start) ?? { file: root, pointer: '' };
    return { source: file.source, pointer: `#${own}${wanted.slice(start.length)}`, reportOnKey: true };
  };
}

/** Returns the pointers of a node and of its parents, the longest first: `/a/b`, `/a` and the empty one. */
function prefixes(pointer: string): readonly string[] {
  const steps = pointer.split('/');
  return steps.map((_step, index) => steps.slice(0, steps.length - index).join('/'));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
