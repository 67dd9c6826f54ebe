import { escapePointer } from '@contract-first/contract';
import { type OpenApiDocument, resolveReference } from '../document/reference.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

// Some tools resolve chained references recursively.
const MAX_CHAIN = 100;
const MAX_PROBLEMS = 20;

/** Finds local references that are circular or have too long chains. */
export function findEndlessReferences(document: OpenApiDocument): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(document, '#');
  return found;

  function visit(node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null) return;
    const problem = problemOf(node);
    if (problem !== undefined && found.length < MAX_PROBLEMS) found.push({ pointer, message: problem });
    for (const [name, member] of Object.entries(node)) visit(member, `${pointer}/${escapePointer(name)}`);
  }

  function problemOf(start: object): string | undefined {
    const chain = new Set<unknown>();
    for (let node: unknown = start; ;) {
      const reference = (node as { readonly $ref?: unknown } | null | undefined)?.$ref;
      if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
      if (chain.has(node)) return node === start ? 'this $ref leads back to itself' : undefined;
      if (chain.size === MAX_CHAIN) return `this $ref leads through more than ${String(MAX_CHAIN)} others`;
      chain.add(node);
      node = resolveReference(document, reference);
    }
  }
}
