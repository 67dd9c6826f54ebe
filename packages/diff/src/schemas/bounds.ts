import { report, type Comparison } from '../rules/comparison.ts';
import type { Effect, Finding } from '../rules/finding.ts';
import { LIMITS, type Side } from '../rules/keywords.ts';
import { membersOf, type Pair } from '../nodes/node.ts';
import { keywordNodes, type Schema } from '../nodes/schema-reader.ts';

/** A numeric limit, and the keyword that sets it. */
export type Bound = {
  readonly limit: number | bigint;
  readonly exclusive: boolean;
  readonly keyword: string;
  /** The format that sets the limit instead of the keyword. */
  readonly format?: string;
};

/** Compares the limits of the length or size of values of one type. */
export function compareCounts(at: Comparison, type: string, { base, revision }: Pair<Schema>): readonly Finding[] {
  return LIMITS.filter((limit) => limit.type === type).flatMap(({ keyword, rule, side }) => {
    const bounds = { base: countBound(base, keyword, side), revision: countBound(revision, keyword, side) };
    return compareBound(at, rule, side, bounds, revision);
  });
}

/** Compares how many items must match `contains`: by default, one. */
export function compareMatches(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const least = (schema: Schema): Bound => countBound(schema, 'minContains', 'lower') ?? leastOf(schema);
  const most = (schema: Schema) => countBound(schema, 'maxContains', 'upper');
  return [
    ...compareBound(at, 'min-contains', 'lower', { base: least(base), revision: least(revision) }, revision),
    ...compareBound(at, 'max-contains', 'upper', { base: most(base), revision: most(revision) }, revision),
  ];
}

function leastOf(schema: Schema): Bound {
  const isZero = limits(schema, 'minContains').some(({ limit }) => limit === 0);
  return { limit: isZero ? 0 : 1, exclusive: false, keyword: 'minContains' };
}

/** Compares a limit, and reports a change at the keyword of the revision. */
export function compareBound(
  at: Comparison,
  rule: string,
  side: Side,
  { base, revision }: Pair<Bound | undefined>,
  schema: Schema,
): readonly Finding[] {
  const [node] = keywordNodes(schema, revision?.keyword ?? '');
  const found = (action: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `${rule}-${action}`, effect, text, node),
  ];
  if (base === undefined) {
    return revision === undefined ? [] : found('set', 'narrows', `${describe(revision)} was set`);
  }
  if (revision === undefined) return found('unset', 'widens', `${describe(base)} was removed`);
  const order = compareLimits(base, revision);
  if (order === 0 && base.exclusive === revision.exclusive) return [];
  const text = `${describe(base)} became ${describe(revision)}`;
  const tighter = tightest([base, revision], side) === revision;
  const effect = tighter ? 'narrows' : 'widens';
  if (order === 0) return found(tighter ? 'set' : 'unset', effect, text);
  return found(order < 0 ? 'increased' : 'decreased', effect, text);
}

function describe({ keyword, limit, format }: Bound): string {
  return format === undefined ? `${keyword} ${String(limit)}` : `the ${keyword} of ${format}`;
}

function countBound(schema: Schema, keyword: string, side: Side): Bound | undefined {
  const bound = tightest(limits(schema, keyword), side);
  // A minimum of 0 constrains nothing.
  return side === 'lower' && bound?.limit === 0 ? undefined : bound;
}

/** Returns all limits that a keyword sets. */
export function limits({ leaves }: Schema, keyword: string): readonly Bound[] {
  return leaves.flatMap(({ value }) => {
    const limit = membersOf(value)[keyword];
    return isNumber(limit) ? [{ limit, exclusive: false, keyword }] : [];
  });
}

/** Returns the limit that allows the fewest values. */
export function tightest(bounds: readonly Bound[], side: Side): Bound | undefined {
  const sign = side === 'upper' ? 1 : -1;
  return [...bounds].sort((a, b) => compareLimits(a, b) * sign || Number(b.exclusive) - Number(a.exclusive))[0];
}

/** Compares two limits. Returns a negative number, zero or a positive number. */
export function compareLimits({ limit }: Bound, other: Bound): number {
  return Number(limit > other.limit) - Number(limit < other.limit);
}

/** Whether a value of a document is a number. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
