import { stringifyJson } from '@contract-first/contract';
import { decode, resolveReference, type OpenApiDocument } from '@contract-first/documents';
import type { Schemas } from '../rules/comparison.ts';
import { PairCache } from '../nodes/pair-cache.ts';
import type { NodePair } from '../nodes/node.ts';

type Text = { readonly text: string; readonly references: readonly string[] };

const texts = new WeakMap<object, Text>();
/** Caches whether references have targets with equal text, for each base and revision. */
const cache = new PairCache<boolean>();

/**
 * Returns whether schemas, including all references, have the same text in both documents and need no comparison. This
 * applies to most schemas of a large document.
 */
export function haveSameText({ base, revision }: Schemas): boolean {
  if (base.length !== revision.length) return false;
  return base.every((node, index) => {
    const other = revision[index];
    if (other === undefined || 'nullable' in node !== 'nullable' in other) return false;
    if (node.document.openapi !== other.document.openapi) return false;
    const [one, two] = [textOf(node.value), textOf(other.value)];
    return (
      isSame(one, two) &&
      one.references.every((name) => leadToSame(name, { base: node.document, revision: other.document }))
    );
  });
}

function leadToSame(reference: string, documents: NodePair<OpenApiDocument>): boolean {
  const results = cache.of(documents.base, documents.revision);
  const visited = new Set<string>();
  const next = [reference];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (visited.has(name) || results.get(name) === true) continue;
    visited.add(name);
    const [one, two] = [documents.base, documents.revision].map((document) => textOf(resolveReference(document, name)));
    if (results.get(name) === false || one === undefined || two === undefined || !isSame(one, two)) {
      results.set(name, false).set(reference, false);
      return false;
    }
    next.push(...one.references);
  }
  for (const name of visited) results.set(name, true);
  return true;
}

/** Returns whether two texts are equal and without a discriminator, which also depends on unreferenced schemas. */
function isSame({ text }: Text, other: Text): boolean {
  return text === other.text && !text.includes('"discriminator"');
}

function textOf(value: unknown): Text {
  const found = typeof value === 'object' && value !== null ? texts.get(value) : undefined;
  if (found !== undefined) return found;
  const text = stringifyJson(value ?? null);
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, name = '']) => decode(name));
  const read = { text, references: [...new Set(references)] };
  if (typeof value === 'object' && value !== null) texts.set(value, read);
  return read;
}
