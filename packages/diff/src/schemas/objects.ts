import {
  type SchemaComparison,
  type DescribedValue,
  directionOf,
  effectOfRemovedLimit,
  report,
} from '../rules/comparison.ts';
import { findEarlyRemoval, findSunsetProblem } from '../rules/deprecation.ts';
import { type Effect, type Finding, finding, LEVEL_OF_EFFECT } from '../rules/finding.ts';
import { canonical, elements, isTrue, asObject, type Node, type NodePair, rawChild } from '../nodes/node.ts';
import { keywordNodes, keywordValues, readSchema, type ResolvedSchema } from '../nodes/schema-reader.ts';

/** Compares objects: properties, `patternProperties` and additional properties. */
export function compareObjects(at: SchemaComparison, schemas: NodePair<ResolvedSchema>): readonly Finding[] {
  return [
    ...compareProperties(at, schemas),
    ...comparePatterns(at, schemas),
    ...compareAdditional(at, schemas),
    ...comparePropertyNames(at, schemas),
  ];
}

function comparePatterns(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const [before, after] = [patternsOf(base), patternsOf(revision)];
  return [...before.union(after)].flatMap((pattern) => {
    const nodes = { base: nodesOfPattern(base, pattern), revision: nodesOfPattern(revision, pattern) };
    const found = (aspect: string, effect: Effect, node: Node | undefined): readonly Finding[] => [
      report(at, `pattern-property-${aspect}`, effect, `properties that match ${pattern} were ${aspect}`, node),
    ];
    // Empty schemas have no effect, unless other properties are forbidden.
    const isFree = [...nodes.base, ...nodes.revision].every(({ value }) => Object.keys(asObject(value)).length === 0);
    if (isFree && !isForbidden([...nodes.base, ...nodes.revision])) return [];
    if (!before.has(pattern) && nodes.base.length === 0) return found('added', 'narrows', nodes.revision[0]);
    if (!before.has(pattern) && isForbidden(nodes.base))
      return found('added', effectOfRemovedLimit(at), nodes.revision[0]);
    if (!after.has(pattern) && nodes.revision.length === 0) return found('removed', 'widens', nodes.base[0]);
    if (!after.has(pattern) && isForbidden(nodes.revision)) return found('removed', 'narrows', nodes.base[0]);
    return at.part(pattern, nodes);
  });
}

/** Compares the constraints on undeclared properties. */
function compareAdditional(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const [before, after] = [additionalOf(base), additionalOf(revision)];
  const [node] = keywordNodes(revision, 'additionalProperties');
  const found = (aspect: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `additional-properties-${aspect}`, effect, text, node),
  ];
  if (isForbidden(before)) {
    return isForbidden(after) ? [] : found('opened', effectOfRemovedLimit(at), 'other properties are allowed');
  }
  if (isForbidden(after)) return found('closed', 'narrows', 'other properties are no longer allowed');
  return at.part('*', { base: before, revision: after });
}

function comparePropertyNames(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const nodes = { base: keywordNodes(base, 'propertyNames'), revision: keywordNodes(revision, 'propertyNames') };
  const [node] = nodes.revision;
  if (node === undefined) {
    const isRemoved = nodes.base.length > 0;
    return isRemoved ? [report(at, 'property-names-removed', 'widens', 'propertyNames was removed')] : [];
  }
  if (nodes.base.length > 0) return at.part('(names)', nodes);
  return [report(at, 'property-names-added', 'narrows', 'propertyNames was added', node)];
}

/** Compares the declared and required properties of objects. */
function compareProperties(
  at: SchemaComparison,
  { base: before, revision: after }: NodePair<ResolvedSchema>,
): readonly Finding[] {
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
      // The base requires the property without declaring it, so only the requirement was removed.
      return compareRequired(at, name, { base, revision: { ...base, required: false } }, after);
    }
    // On one side, the schema of additional properties may apply.
    const isTyped = [base, revision].every(({ nodes, hidden }) => nodes.length > 0 && !hidden && !isForbidden(nodes));
    const rest = isTyped ? at.part(name, parts) : [];
    if (isSent.base) return [...removed(at, name, { base, revision }), ...rest];
    return isSent.revision ? [...added(at, name, { base, revision }), ...rest] : [];
  });
}

function compareRequired(
  at: SchemaComparison,
  name: string,
  { base, revision }: NodePair<Property>,
  schema: ResolvedSchema,
): readonly Finding[] {
  if (base.required === revision.required) return [];
  const node = revision.nodes[0] ?? keywordNodes(schema, 'required')[0] ?? at.node;
  if (!revision.required) return [found(at, 'became-optional', 'widens', name, node, 'is no longer required')];
  const text = directionOf(at) === 'request' ? defaultOf(revision) : undefined;
  if (text === undefined) return [found(at, 'became-required', 'narrows', name, node, 'became required')];
  const change = `became required, with the default ${text}`;
  return [found(at, 'became-required-with-default', 'narrows', name, node, change)];
}

function compareSunsets(
  at: SchemaComparison,
  name: string,
  { base, revision }: NodePair<Property>,
): readonly Finding[] {
  const [before] = base.nodes;
  const [node] = revision.nodes;
  if (before === undefined || node === undefined) return [];
  const problem = findSunsetProblem({ base: before, revision: node });
  if (problem === undefined) return [];
  // Clients in both directions rely on the date.
  return [found(at, problem.aspect, 'differs', name, node, problem.change)];
}

function removed(at: SchemaComparison, name: string, { base, revision }: NodePair<Property>): readonly Finding[] {
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
  return isForbidden(revision.nodes)
    ? [found(at, 'property-removed', 'narrows', name, node, 'was removed; other properties are forbidden')]
    : [found(at, 'property-removed', 'unsure', name, node, 'was removed')];
}

function added(at: SchemaComparison, name: string, { base, revision }: NodePair<Property>): readonly Finding[] {
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
  const text = revision.required ? defaultOf(revision) : undefined;
  const rule = text === undefined ? 'property' : 'property-with-default';
  const change = `was added, ${kind}${text === undefined ? '' : `, with the default ${text}`}`;
  return [{ ...found(at, rule, effect, name, node, change), rule: `new-${kind}-request-${rule}` }];
}

function found(
  at: SchemaComparison,
  aspect: string,
  effect: Effect,
  name: string,
  node: Node,
  change: string,
): Finding {
  const direction = directionOf(at);
  const rule = `${direction}-${aspect.includes('property') ? aspect : `property-${aspect}`}`;
  return finding(at, rule, LEVEL_OF_EFFECT[direction][effect], node, `property ${name} ${change}`);
}

/** Returns the default of a property as text; `undefined` if it has none. */
function defaultOf({ nodes }: Property): string | undefined {
  const [value] = keywordValues(readSchema(nodes), 'default');
  return value === undefined ? undefined : canonical(value);
}

/** One property of an object. */
type Property = {
  /** The schemas that apply to the property, including schemas for undeclared properties. */
  readonly nodes: readonly Node[];
  /** Whether the property is declared or required by name. */
  readonly declared: boolean;
  readonly required: boolean;
  /** Whether the property is excluded from this direction: `readOnly` in a request, `writeOnly` in a response. */
  readonly hidden: boolean;
};

/** Returns the names of the properties that a schema declares or requires. */
function propertyNames(schema: ResolvedSchema): ReadonlySet<string> {
  const declared = keywordNodes(schema, 'properties').flatMap(({ value }) => Object.keys(asObject(value)));
  return new Set([...declared, ...requiredOf(schema)]);
}

/** Returns the names of the required properties. */
function requiredOf(schema: ResolvedSchema): ReadonlySet<string> {
  const names = keywordNodes(schema, 'required').flatMap((node) => elements(node));
  return new Set(names.map(({ value }) => String(value)));
}

/** Reads a property of an object for the direction of the compared value. */
function readProperty(at: DescribedValue, schema: ResolvedSchema, name: string, required: boolean): Property {
  const declarations = keywordNodes(schema, 'properties').flatMap((node) => rawChild(node, name) ?? []);
  const hiding = directionOf(at) === 'request' ? 'readOnly' : 'writeOnly';
  return {
    nodes: nodesOfMember(schema, (leaf) => [
      ...[rawChild(leaf, 'properties')].flatMap((node) => (node && rawChild(node, name)) ?? []),
      ...patternNodes(leaf)
        .filter(([pattern]) => matches(pattern, name))
        .map(([, node]) => node),
    ]),
    declared: declarations.length > 0 || required,
    required,
    hidden: readSchema(declarations).leaves.some((leaf) => isTrue(leaf, hiding)),
  };
}

// Patterns that match every name, apart from the empty name and names with line breaks.
const UNIVERSAL = /^(?:[\^$]?|\^?\.[*+]\$?)$/;

/** Returns the patterns of `patternProperties`, except the patterns for every name. */
function patternsOf(schema: ResolvedSchema): ReadonlySet<string> {
  const patterns = schema.leaves.flatMap((leaf) => patternNodes(leaf).map(([pattern]) => pattern));
  return new Set(patterns.filter((pattern) => !UNIVERSAL.test(pattern)));
}

/** Returns the schemas of the properties that match a pattern. */
function nodesOfPattern(schema: ResolvedSchema, pattern: string): readonly Node[] {
  return nodesOfMember(schema, (leaf) => {
    const nodes = patternNodes(leaf);
    return nodes.filter(([name]) => name === pattern || UNIVERSAL.test(name)).map(([, node]) => node);
  });
}

/** Returns the schemas of undeclared properties. A pattern that matches every name leaves none to others. */
function additionalOf(schema: ResolvedSchema): readonly Node[] {
  return nodesOfMember(schema, (leaf) => {
    const nodes = patternNodes(leaf);
    return nodes.filter(([pattern]) => UNIVERSAL.test(pattern)).map(([, node]) => node);
  });
}

/**
 * Returns the schemas that apply to a member of an object.
 *
 * @param declared returns the schemas by which a leaf declares the member; if empty, schemas of other members apply
 */
function nodesOfMember({ leaves }: ResolvedSchema, declared: (leaf: Node) => readonly Node[]): readonly Node[] {
  const evaluated = leaves.flatMap((leaf) => {
    const own = declared(leaf);
    return own.length > 0 ? own : (rawChild(leaf, 'additionalProperties') ?? []);
  });
  const nodes =
    evaluated.length > 0 ? evaluated : leaves.flatMap((leaf) => rawChild(leaf, 'unevaluatedProperties') ?? []);
  return nodes.filter(({ value }) => value !== true);
}

function patternNodes(leaf: Node): readonly (readonly [string, Node])[] {
  const all = rawChild(leaf, 'patternProperties');
  return Object.keys(asObject(all?.value)).flatMap((pattern) => {
    const node = all && rawChild(all, pattern);
    return node === undefined ? [] : [[pattern, node] as const];
  });
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false; // Not an ECMAScript pattern.
  }
}

/** Returns whether no value is allowed. */
function isForbidden(nodes: readonly Node[]): boolean {
  return nodes.some(({ value }) => value === false);
}
