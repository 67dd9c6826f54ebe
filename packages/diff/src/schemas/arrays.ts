import { compareMatches } from './numbers.ts';
import { report, type SchemaComparison, type Schemas } from '../rules/comparison.ts';
import type { Finding } from '../rules/finding.ts';
import { elements, rawChild, type NodePair, type Node } from '../nodes/node.ts';
import { keywordNodes, keywordValues, type ResolvedSchema } from '../nodes/schema-reader.ts';

/** Compares the schemas of array items: positional items, remaining items, and `contains`. */
export function compareItems(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const count = Math.max(...[base, revision].map(positionsOf));
  const positions = Array.from({ length: count }, (_, index) =>
    at.part(String(index), { base: itemAt(base, index), revision: itemAt(revision, index) }),
  );
  const rest = at.part('items', { base: itemAt(base, count), revision: itemAt(revision, count) });
  const found = [...positions.flat(), ...rest, ...compareContains(at, { base, revision })];
  // The set of evaluated items may have changed.
  const isChanged = found.length > 0 || evaluatedCount(base) !== evaluatedCount(revision);
  const isUnsure = isChanged && [base, revision].some((schema) => keywordNodes(schema, 'unevaluatedItems').length > 0);
  const text = 'unevaluatedItems may apply to other items';
  return isUnsure ? [...found, report(at, 'unevaluated-items-changed', 'unsure', text)] : found;
}

/** Returns the number of items with a positional schema. */
function positionsOf(schema: ResolvedSchema): number {
  return Math.max(0, ...keywordNodes(schema, 'prefixItems').map((node) => elements(node).length));
}

/** Returns the number of items that `prefixItems` and `items` evaluate. */
function evaluatedCount(schema: ResolvedSchema): number {
  const count = positionsOf(schema);
  return itemAt(schema, count).length > 0 ? Infinity : count;
}

/** Returns the schemas of the item at an index. */
function itemAt({ leaves }: ResolvedSchema, index: number): readonly Node[] {
  return leaves.flatMap((leaf) => {
    const prefix = elements(rawChild(leaf, 'prefixItems'));
    return prefix[index] ?? rawChild(leaf, 'items') ?? [];
  });
}

function compareContains(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const nodes: Schemas = { base: containsOf(base), revision: containsOf(revision) };
  const [node] = nodes.revision;
  if (node === undefined && nodes.base.length === 0) return [];
  if (nodes.base.length === 0) return [report(at, 'contains-added', 'narrows', 'contains was added', node)];
  if (node === undefined) return [report(at, 'contains-removed', 'widens', 'contains was removed')];
  const counts = compareMatches(at, { base, revision });
  const ofSchemas = at.part('contains', nodes);
  // With `maxContains`, more matching items may make an array invalid.
  if (ofSchemas.length === 0 || !(hasMaximum(base) || hasMaximum(revision))) return [...counts, ...ofSchemas];
  return [...counts, report(at, 'contains-changed', 'unsure', 'contains was changed', node)];
}

/** Returns the effective `contains` schemas. */
function containsOf(schema: ResolvedSchema): readonly Node[] {
  const isFree = keywordValues(schema, 'minContains').includes(0) && !hasMaximum(schema);
  return isFree ? [] : keywordNodes(schema, 'contains');
}

function hasMaximum(schema: ResolvedSchema): boolean {
  return keywordValues(schema, 'maxContains').length > 0;
}
