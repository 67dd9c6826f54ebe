import { looseningOf, report, type Comparison } from './comparison.ts';
import type { Effect, Finding } from './finding.ts';
import { additionalOf, isForbidden, nodesOfPattern, patternsOf } from './members.ts';
import { membersOf, type Node, type Pair } from './node.ts';
import { compareProperties } from './properties.ts';
import { keywordNodes, type Schema } from './schema-reader.ts';

/** Compares objects: their properties, and the schemas of properties by pattern and of all others. */
export function compareObjects(at: Comparison, schemas: Pair<Schema>): readonly Finding[] {
  return [
    ...compareProperties(at, schemas),
    ...comparePatterns(at, schemas),
    ...compareAdditional(at, schemas),
    ...comparePropertyNames(at, schemas),
  ];
}

function comparePatterns(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before, after] = [patternsOf(base), patternsOf(revision)];
  return [...before.union(after)].flatMap((pattern) => {
    const nodes = { base: nodesOfPattern(base, pattern), revision: nodesOfPattern(revision, pattern) };
    const found = (aspect: string, effect: Effect, node: Node | undefined): readonly Finding[] => [
      report(at, `pattern-property-${aspect}`, effect, `properties that match ${pattern} were ${aspect}`, node),
    ];
    // An empty schema says nothing, unless other properties are forbidden.
    const isFree = [...nodes.base, ...nodes.revision].every(({ value }) => Object.keys(membersOf(value)).length === 0);
    if (isFree && !isForbidden([...nodes.base, ...nodes.revision])) return [];
    if (!before.has(pattern) && nodes.base.length === 0) return found('added', 'narrows', nodes.revision[0]);
    if (!before.has(pattern) && isForbidden(nodes.base)) return found('added', looseningOf(at), nodes.revision[0]);
    if (!after.has(pattern) && nodes.revision.length === 0) return found('removed', 'widens', nodes.base[0]);
    if (!after.has(pattern) && isForbidden(nodes.revision)) return found('removed', 'narrows', nodes.base[0]);
    return at.part(pattern, nodes);
  });
}

/** Compares the constraints on undeclared properties. */
function compareAdditional(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before, after] = [additionalOf(base), additionalOf(revision)];
  const [node] = keywordNodes(revision, 'additionalProperties');
  const found = (aspect: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `additional-properties-${aspect}`, effect, text, node),
  ];
  if (isForbidden(before)) {
    return isForbidden(after) ? [] : found('opened', looseningOf(at), 'other properties are allowed');
  }
  if (isForbidden(after)) return found('closed', 'narrows', 'other properties are no longer allowed');
  return at.part('*', { base: before, revision: after });
}

function comparePropertyNames(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const nodes = { base: keywordNodes(base, 'propertyNames'), revision: keywordNodes(revision, 'propertyNames') };
  const [node] = nodes.revision;
  if (node === undefined) {
    const isRemoved = nodes.base.length > 0;
    return isRemoved ? [report(at, 'property-names-removed', 'widens', 'propertyNames was removed')] : [];
  }
  if (nodes.base.length > 0) return at.part('(names)', nodes);
  return [report(at, 'property-names-added', 'narrows', 'propertyNames was added', node)];
}
