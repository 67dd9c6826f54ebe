import { isMultipleOf } from '@contract-first/contract';
import { canonicalSchema, asObject, type Node, type NodePair, rawChild } from '../nodes/node.ts';
import { keywordNodes, keywordValues, readSchema, type ResolvedSchema } from '../nodes/schema-reader.ts';
import { type SchemaComparison, effectOfRemovedLimit, report } from '../rules/comparison.ts';
import type { Finding } from '../rules/finding.ts';
import { IF, NOT, OPAQUE_KEYWORDS, type OpaqueKeyword } from '../rules/keywords.ts';
import { haveCommonType, typesOf } from './types.ts';

/** Compares the constraints on values of one type, except limits. */
export function compareConstraints(
  at: SchemaComparison,
  type: string,
  schemas: NodePair<ResolvedSchema>,
): readonly Finding[] {
  return [
    ...OPAQUE_KEYWORDS.filter((keyword) => keyword.type === type).flatMap((keyword) =>
      compareOpaque(at, keyword, schemas),
    ),
    ...(type === 'string' ? comparePatterns(at, schemas) : []),
    ...(type === 'number' ? compareMultiples(at, schemas) : []),
    ...(type === 'array' ? compareUniqueness(at, schemas) : []),
    ...(type === 'object' ? compareDependencies(at, schemas) : []),
  ];
}

/** Compares `not` and the conditions of a schema as text. */
export function compareConditions(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] {
  const conditions = { base: conditionsOf(base), revision: conditionsOf(revision) };
  const ofConditions = compareConsequences(at, conditions) ?? compareOpaque(at, IF, conditions);
  // Ignores a `not` that excludes no values of the other side.
  const exclusions = {
    base: exclusionsOf(base, typesOf(revision, false)),
    revision: exclusionsOf(revision, typesOf(base, false)),
  };
  return [...compareOpaque(at, NOT, exclusions), ...ofConditions];
}

/** Returns the leaves with a `not` that excludes values of some types. */
function exclusionsOf(schema: ResolvedSchema, types: readonly string[]): ResolvedSchema {
  const excludes = (leaf: Node): boolean => {
    const node = rawChild(leaf, 'not');
    return node !== undefined && haveCommonType(typesOf(readSchema([node]), false), types);
  };
  return { ...schema, leaves: schema.leaves.filter(excludes) };
}

/** Compares `then` and `else` if both sides have a single, equal condition. */
function compareConsequences(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] | undefined {
  const [before, after] = [base.leaves[0], revision.leaves[0]];
  if (before === undefined || after === undefined || base.leaves.length + revision.leaves.length > 2) return undefined;
  const [condition, other] = [before, after].map((leaf) => {
    const node = rawChild(rawChild(leaf, 'if') ?? leaf, 'if');
    return node && canonicalSchema(node);
  });
  if (condition !== other) return undefined;
  const nodesOf = (leaf: Node, keyword: string): readonly Node[] =>
    [rawChild(leaf, 'if')].flatMap((node) => (node && rawChild(node, keyword)) ?? []);
  return ['then', 'else'].flatMap((keyword) =>
    at.same({ base: nodesOf(before, keyword), revision: nodesOf(after, keyword) }),
  );
}

/** Returns the conditions with consequences. Each becomes a schema with `if`, `then` and `else` in the keyword `if`. */
function conditionsOf(schema: ResolvedSchema): ResolvedSchema {
  const leaves = schema.leaves.flatMap((leaf) => {
    const { if: condition, then = true, else: otherwise = true } = asObject(leaf.value);
    if (condition === undefined || (then === true && otherwise === true)) return [];
    return { ...leaf, value: { if: { if: condition, then, else: otherwise } } };
  });
  return { ...schema, leaves };
}

function comparePatterns(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const [before, after] = [patternsOf(base), patternsOf(revision)];
  const added = [...after.difference(before)].join(' and ');
  const removed = [...before.difference(after)].join(' and ');
  const [node] = keywordNodes(revision, 'pattern');
  if (added === '' && removed === '') return [];
  if (removed === '') return [report(at, 'pattern-added', 'narrows', `pattern ${added} was added`, node)];
  if (added === '') return [report(at, 'pattern-removed', effectOfRemovedLimit(at), `pattern ${removed} was removed`)];
  return [report(at, 'pattern-changed', 'unsure', `pattern ${removed} became ${added}`, node)];
}

/** Returns the patterns, except patterns that match every text. */
function patternsOf(schema: ResolvedSchema): ReadonlySet<string> {
  const patterns = keywordValues(schema, 'pattern').map(String);
  return new Set(patterns.filter((pattern) => !/^\^?(?:\(?\.\*\)?)?\$?$/.test(pattern)));
}

function compareMultiples(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const isIntegral = [base, revision].some((schema) => !typesOf(schema, false).includes('number'));
  const [before] = multiplesOf(base, isIntegral);
  const [after] = multiplesOf(revision, isIntegral);
  const [node] = keywordNodes(revision, 'multipleOf');
  if (before === after) return [];
  if (before === undefined) {
    return [report(at, 'multiple-of-set', 'narrows', `multipleOf ${String(after)} was set`, node)];
  }
  if (after === undefined) {
    return [report(at, 'multiple-of-unset', 'widens', `multipleOf ${before} was removed`)];
  }
  const effect = isMultipleOf(after, before) ? 'narrows' : isMultipleOf(before, after) ? 'widens' : 'differs';
  const text = `multipleOf ${before} became ${after}`;
  return [report(at, 'multiple-of-changed', effect, text, node)];
}

function multiplesOf(schema: ResolvedSchema, isIntegral: boolean): readonly string[] {
  // Ignores divisors of all integers, such as 1 and 0.5.
  return keywordValues(schema, 'multipleOf')
    .map(String)
    .filter((multiple) => !(isIntegral && isMultipleOf('1', multiple)));
}

function compareUniqueness(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const before = keywordValues(base, 'uniqueItems').includes(true);
  const after = keywordValues(revision, 'uniqueItems').includes(true);
  if (before === after) return [];
  return after
    ? [report(at, 'unique-items-set', 'narrows', 'items must be unique')]
    : [report(at, 'unique-items-unset', 'widens', 'items need no longer be unique')];
}

function compareOpaque(
  at: SchemaComparison,
  { rule, keyword, change }: OpaqueKeyword,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] {
  const read = (schema: ResolvedSchema) => new Set(keywordNodes(schema, keyword).map((node) => canonicalSchema(node)));
  const [before, after] = [read(base), read(revision)];
  const [node] = keywordNodes(revision, keyword);
  const isAdded = !after.isSubsetOf(before);
  const isRemoved = !before.isSubsetOf(after);
  if (!isAdded && !isRemoved) return [];
  if (!isRemoved) return [report(at, `${rule}-added`, 'narrows', `${keyword} was added`, node)];
  if (!isAdded) return [report(at, `${rule}-removed`, 'widens', `${keyword} was removed`)];
  const reason = change === 'unsure' ? ' in a way that is not analysed' : '';
  return [report(at, `${rule}-changed`, change, `${keyword} was changed${reason}`, node)];
}

/** Compares `dependentRequired`. */
function compareDependencies(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const [before, after] = [dependenciesOf(base), dependenciesOf(revision)];
  const [node] = keywordNodes(revision, 'dependentRequired');
  return [
    ...[...after.difference(before)].map((text) =>
      report(at, 'dependent-required-added', 'narrows', `property ${text}`, node),
    ),
    ...[...before.difference(after)].map((text) =>
      report(at, 'dependent-required-removed', 'widens', `property ${text}, no longer`),
    ),
  ];
}

/** Returns `b is required with a` for each property b that requires a. */
function dependenciesOf(schema: ResolvedSchema): ReadonlySet<string> {
  const entries = keywordNodes(schema, 'dependentRequired').flatMap(({ value }) => Object.entries(asObject(value)));
  return new Set(
    entries.flatMap(([name, required]) =>
      (Array.isArray(required) ? required : []).map((other) => `${String(other)} is required with ${name}`),
    ),
  );
}
