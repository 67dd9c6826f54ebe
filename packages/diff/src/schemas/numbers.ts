import { compareBound, compareLimits, isNumber, limits, tightest, type Bound } from './bounds.ts';
import type { Comparison } from '../rules/comparison.ts';
import type { Effect, Finding } from '../rules/finding.ts';
import { formatLimits } from './formats.ts';
import { LIMITS, type Side } from '../rules/keywords.ts';
import { membersOf, type Pair } from '../nodes/node.ts';
import type { Schema } from '../nodes/schema-reader.ts';
import { hasOnlyIntegers, haveRanges, reportTypes } from './types.ts';

/** Compares the ranges of numbers. The format of an integer is a range, too. */
export function compareNumbers(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
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

/** Returns a bound; `undefined` if a format sets it and the other one is tighter, so that a limit was set or removed. */
function unlessFormat(bound: Bound | undefined, other: Bound | undefined, side: Side): Bound | undefined {
  const isLooser = bound?.format !== undefined && other !== undefined && tightest([bound, other], side) === other;
  return isLooser ? undefined : bound;
}

/** Returns the effect of a change of a limit; none when it is the same. */
function effectOf({ base, revision }: Pair<Bound | undefined>, side: Side): readonly Effect[] {
  if (base === undefined ? revision === undefined : revision && compareLimits(base, revision) === 0) return [];
  const tight = tightest(
    [base, revision].flatMap((bound) => bound ?? []),
    side,
  );
  return [tight === revision ? 'narrows' : 'widens'];
}

/**
 * Returns the tightest limit of a number. In OpenAPI 3.0, `exclusiveMaximum: true` makes `maximum` exclusive.
 *
 * @param isIntegral whether only integers are compared, for which a format is a limit, too
 */
function numberBound(schema: Schema, side: Side, isIntegral: boolean): Bound | undefined {
  const [keyword, exclusiveKeyword] =
    side === 'upper' ? ['maximum', 'exclusiveMaximum'] : ['minimum', 'exclusiveMinimum'];
  const inclusive = schema.leaves.flatMap(({ value }) => {
    const { [keyword]: limit, [exclusiveKeyword]: exclusive } = membersOf(value);
    return isNumber(limit) ? [{ limit, exclusive: exclusive === true, keyword }] : [];
  });
  const exclusive = limits(schema, exclusiveKeyword).map((bound) => ({ ...bound, exclusive: true }));
  const ofFormats = isIntegral ? formatLimits(schema, side) : [];
  const bounds = [...inclusive, ...exclusive].map((bound) =>
    hasOnlyIntegers(schema) ? inclusiveBound(bound, side) : bound,
  );
  return tightest([...bounds, ...ofFormats.map((limit) => ({ ...limit, exclusive: false, keyword }))], side);
}

/** Converts an exclusive limit of integers: above 0 means from 1. */
function inclusiveBound({ limit, exclusive, keyword }: Bound, side: Side): Bound {
  if (!exclusive) return { limit, exclusive, keyword };
  const step = side === 'upper' ? -1 : 1;
  return { limit: typeof limit === 'bigint' ? limit + BigInt(step) : limit + step, exclusive: false, keyword };
}
