import { directionOf, type Comparison } from './comparison.ts';
import { findEarlyRemoval, findSunsetProblem } from './deprecation.ts';
import { finding, LEVELS, type Effect, type Finding } from './finding.ts';
import { isForbidden, propertyNames, readProperty, requiredOf, type Property } from './members.ts';
import type { Node, Pair } from './node.ts';
import { keywordNodes, keywordValues, readSchema, type Schema } from './schema-reader.ts';

/** Compares the properties of objects that a schema names. */
export function compareProperties(at: Comparison, { base: before, revision: after }: Pair<Schema>): readonly Finding[] {
  const required = { base: requiredOf(before), revision: requiredOf(after) };
  return [...propertyNames(before).union(propertyNames(after))].flatMap((name) => {
    const base = readProperty(at, before, name, required.base.has(name));
    const revision = readProperty(at, after, name, required.revision.has(name));
    const isSent = { base: base.declared && !base.hidden, revision: revision.declared && !revision.hidden };
    const parts = { base: base.nodes, revision: revision.nodes };
    if (isSent.base && isSent.revision)
      return [
        ...compareRequired(at, name, { base, revision }, after),
        ...compareSunsets(at, name, { base, revision }),
        ...at.part(name, parts),
      ];
    if (isSent.base && base.nodes.length === 0) {
      // The base requires the property without declaring it, so only the requirement can be removed.
      return compareRequired(at, name, { base, revision: { ...base, required: false } }, after);
    }
    // The schema for other properties may apply on the other side.
    const isTyped = [base, revision].every(({ nodes, hidden }) => nodes.length > 0 && !hidden && !isForbidden(nodes));
    const rest = isTyped ? at.part(name, parts) : [];
    if (isSent.base) return [...removed(at, name, { base, revision }), ...rest];
    return isSent.revision ? [...added(at, name, { base, revision }), ...rest] : [];
  });
}

function compareRequired(
  at: Comparison,
  name: string,
  { base, revision }: Pair<Property>,
  schema: Schema,
): readonly Finding[] {
  if (base.required === revision.required) return [];
  const node = revision.nodes[0] ?? keywordNodes(schema, 'required')[0] ?? at.node;
  if (!revision.required) return [found(at, 'became-optional', 'widens', name, node, 'is no longer required')];
  const withDefault = directionOf(at) === 'request' && hasDefault(revision);
  const rule = withDefault ? 'became-required-with-default' : 'became-required';
  return [found(at, rule, 'narrows', name, node, 'became required')];
}

function compareSunsets(at: Comparison, name: string, { base, revision }: Pair<Property>): readonly Finding[] {
  const [before] = base.nodes;
  const [node] = revision.nodes;
  if (before === undefined || node === undefined) return [];
  const problem = findSunsetProblem({ base: before, revision: node });
  if (problem === undefined) return [];
  // Clients in both directions rely on the date.
  return [found(at, problem.aspect, 'differs', name, node, problem.change)];
}

function removed(at: Comparison, name: string, { base, revision }: Pair<Property>): readonly Finding[] {
  const node = base.nodes[0] ?? at.node;
  const kind = base.required ? 'required' : 'optional';
  const effect = base.required ? 'widens' : 'unsure';
  const early = revision.hidden ? undefined : findEarlyRemoval(node, at.today);
  // Clients in both directions rely on the date.
  if (early !== undefined) return [found(at, 'removed-before-sunset', 'differs', name, node, early)];
  if (directionOf(at) === 'response') {
    const aspect = `${kind}-property-${revision.hidden ? 'became-write-only' : 'removed'}`;
    return [found(at, aspect, effect, name, node, revision.hidden ? 'became writeOnly' : 'was removed')];
  }
  if (revision.hidden) return [found(at, `${kind}-property-became-read-only`, 'none', name, node, 'became readOnly')];
  const effectInRequest = isForbidden(revision.nodes) ? 'narrows' : 'unsure';
  return [found(at, 'property-removed', effectInRequest, name, node, 'was removed')];
}

function added(at: Comparison, name: string, { base, revision }: Pair<Property>): readonly Finding[] {
  const node = revision.nodes[0] ?? at.node;
  const kind = revision.required ? 'required' : 'optional';
  if (directionOf(at) === 'response') {
    const aspect = `${kind}-property-${base.hidden ? 'became-not-write-only' : 'added'}`;
    const change = base.hidden ? 'is no longer writeOnly' : 'was added';
    if (!isForbidden(base.nodes)) return [found(at, aspect, 'none', name, node, change)];
    const reason = 'other properties were forbidden, so clients that validate responses reject it';
    return [found(at, aspect, 'unsure', name, node, `${change}; ${reason}`)];
  }
  const effect = revision.required ? 'narrows' : 'widens';
  if (base.hidden) {
    const aspect = `${kind}-property-became-not-read-only`;
    return [found(at, aspect, effect, name, node, 'is no longer readOnly')];
  }
  const rule = revision.required && hasDefault(revision) ? 'property-with-default' : 'property';
  return [{ ...found(at, rule, effect, name, node, `was added, ${kind}`), rule: `new-${kind}-request-${rule}` }];
}

function found(at: Comparison, aspect: string, effect: Effect, name: string, node: Node, change: string): Finding {
  const direction = directionOf(at);
  const rule = `${direction}-${aspect.includes('property') ? aspect : `property-${aspect}`}`;
  return finding(at, rule, LEVELS[direction][effect], node, `property ${name} ${change}`);
}

function hasDefault({ nodes }: Property): boolean {
  return keywordValues(readSchema(nodes), 'default').length > 0;
}
