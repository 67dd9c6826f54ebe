import { asObject, type NodePair } from '../nodes/node.ts';
import { keywordNodes, type ResolvedSchema } from '../nodes/schema-reader.ts';
import { type SchemaComparison, report } from '../rules/comparison.ts';
import type { Effect, Finding } from '../rules/finding.ts';
import { LIMITS, type Side } from '../rules/keywords.ts';
import { formatLimits, hasOnlyIntegers, haveRanges, reportTypes } from './types.ts';

/** Compares the ranges of numbers. Integer formats are ranges, too. */
export function compareLimits(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const isIntegral = haveRanges({ base, revision });
  const sides = (['upper', 'lower'] as const).map((side) => {
    const bounds = { base: numberBound(base, side, isIntegral), revision: numberBound(revision, side, isIntegral) };
    return { side, bounds, isOfFormat: [bounds.base, bounds.revision].every((bound) => isFormat(bound)) };
  });
  const ofKeywords = sides.flatMap(({ side, bounds, isOfFormat }) => {
    if (isOfFormat) return [];
    const named = {
      base: unlessFormat(bounds.base, bounds.revision, side),
      revision: unlessFormat(bounds.revision, bounds.base, side),
    };
    const keyword = (named.revision ?? named.base)?.keyword;
    const rule = LIMITS.find((limit) => limit.keyword === keyword)?.rule ?? '';
    return compareBound(at, rule, side, named, revision);
  });
  const ofFormats = sides.flatMap(({ side, bounds, isOfFormat }) => (isOfFormat ? effectOf(bounds, side) : []));
  const [effect] = ofFormats;
  if (effect === undefined) return ofKeywords;
  const isSame = ofFormats.every((other) => other === effect);
  return [...ofKeywords, reportTypes(at, { base, revision }, isSame ? effect : 'differs')];
}

function isFormat(bound: Bound | undefined): boolean {
  return bound === undefined || bound.format !== undefined;
}

/**
 * Returns a bound; `undefined` if it comes from a format and the other bound is tighter, i.e. a limit was set or
 * removed.
 */
function unlessFormat(bound: Bound | undefined, other: Bound | undefined, side: Side): Bound | undefined {
  const isLooser = bound?.format !== undefined && other !== undefined && tightest([bound, other], side) === other;
  return isLooser ? undefined : bound;
}

/** Returns the effect of a changed limit; none if it is equal. */
function effectOf({ base, revision }: NodePair<Bound | undefined>, side: Side): readonly Effect[] {
  if (base === undefined ? revision === undefined : revision && compareBounds(base, revision) === 0) return [];
  const tight = tightest(
    [base, revision].flatMap((bound) => bound ?? []),
    side,
  );
  return [tight === revision ? 'narrows' : 'widens'];
}

/**
 * Returns the tightest numeric limit. In OpenAPI 3.0, `exclusiveMaximum: true` makes `maximum` exclusive.
 *
 * @param isIntegral whether only integers are compared, whose formats are limits, too
 */
function numberBound(schema: ResolvedSchema, side: Side, isIntegral: boolean): Bound | undefined {
  const [keyword, exclusiveKeyword] =
    side === 'upper' ? ['maximum', 'exclusiveMaximum'] : ['minimum', 'exclusiveMinimum'];
  const inclusive = schema.leaves.flatMap(({ value }) => {
    const { [keyword]: limit, [exclusiveKeyword]: exclusive } = asObject(value);
    return isNumber(limit) ? [{ limit, exclusive: exclusive === true, keyword }] : [];
  });
  const exclusive = limits(schema, exclusiveKeyword).map((bound) => ({ ...bound, exclusive: true }));
  const ofFormats = isIntegral ? formatLimits(schema, side) : [];
  const bounds = [...inclusive, ...exclusive].map((bound) =>
    hasOnlyIntegers(schema) ? inclusiveBound(bound, side) : bound,
  );
  return tightest([...bounds, ...ofFormats.map((limit) => ({ ...limit, exclusive: false, keyword }))], side);
}

/** Converts an exclusive integer limit to an inclusive limit: `> 0` to `>= 1`. */
function inclusiveBound({ limit, exclusive, keyword }: Bound, side: Side): Bound {
  if (!exclusive) return { limit, exclusive, keyword };
  const step = side === 'upper' ? -1 : 1;
  return { limit: typeof limit === 'bigint' ? limit + BigInt(step) : limit + step, exclusive: false, keyword };
}

/** A numeric limit with its keyword. */
type Bound = {
  readonly limit: number | bigint;
  readonly exclusive: boolean;
  readonly keyword: string;
  /** The format that defines the limit instead of the keyword. */
  readonly format?: string;
};

/** Compares the limits of the length or size of values of one type. */
export function compareCounts(
  at: SchemaComparison,
  type: string,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] {
  return LIMITS.filter((limit) => limit.type === type).flatMap(({ keyword, rule, side }) => {
    const bounds = { base: countBound(base, keyword, side), revision: countBound(revision, keyword, side) };
    return compareBound(at, rule, side, bounds, revision);
  });
}

/** Compares the numbers of items that must match `contains`; the default minimum is one. */
export function compareMatches(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const least = (schema: ResolvedSchema): Bound => countBound(schema, 'minContains', 'lower') ?? leastOf(schema);
  const most = (schema: ResolvedSchema) => countBound(schema, 'maxContains', 'upper');
  return [
    ...compareBound(at, 'min-contains', 'lower', { base: least(base), revision: least(revision) }, revision),
    ...compareBound(at, 'max-contains', 'upper', { base: most(base), revision: most(revision) }, revision),
  ];
}

function leastOf(schema: ResolvedSchema): Bound {
  const isZero = limits(schema, 'minContains').some(({ limit }) => limit === 0);
  return { limit: isZero ? 0 : 1, exclusive: false, keyword: 'minContains' };
}

/** Compares a limit, and reports a change at the keyword of the revision. */
function compareBound(
  at: SchemaComparison,
  rule: string,
  side: Side,
  { base, revision }: NodePair<Bound | undefined>,
  schema: ResolvedSchema,
): readonly Finding[] {
  const [node] = keywordNodes(schema, revision?.keyword ?? '');
  const found = (action: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `${rule}-${action}`, effect, text, node),
  ];
  if (base === undefined) {
    return revision === undefined ? [] : found('set', 'narrows', `${describe(revision)} was set`);
  }
  if (revision === undefined) return found('unset', 'widens', `${describe(base)} was removed`);
  const order = compareBounds(base, revision);
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

function countBound(schema: ResolvedSchema, keyword: string, side: Side): Bound | undefined {
  const bound = tightest(limits(schema, keyword), side);
  // A minimum of 0 has no effect.
  return side === 'lower' && bound?.limit === 0 ? undefined : bound;
}

/** Returns all limits that a keyword sets. */
function limits({ leaves }: ResolvedSchema, keyword: string): readonly Bound[] {
  return leaves.flatMap(({ value }) => {
    const limit = asObject(value)[keyword];
    return isNumber(limit) ? [{ limit, exclusive: false, keyword }] : [];
  });
}

/** Returns the most restrictive limit. */
function tightest(bounds: readonly Bound[], side: Side): Bound | undefined {
  const sign = side === 'upper' ? 1 : -1;
  return [...bounds].sort((a, b) => compareBounds(a, b) * sign || Number(b.exclusive) - Number(a.exclusive))[0];
}

/** Compares two limits. Returns a negative number, zero or a positive number. */
function compareBounds({ limit }: Bound, other: Bound): number {
  return Number(limit > other.limit) - Number(limit < other.limit);
}

/** Returns whether a value of a document is a number. */
function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
