import { report, type Comparison } from './comparison.ts';
import type { Effect, Finding } from './finding.ts';
import { membersOf, type Pair } from './place.ts';
import { keywordPlaces, type Schema } from './schema-reader.ts';
import { typesOf } from './types.ts';

/** A numeric limit, and the keyword that sets it. */
type Bound = { readonly limit: number; readonly exclusive: boolean; readonly keyword: string };

type Side = 'upper' | 'lower';

/** The limits of values of each type. */
const COUNTS: Readonly<Record<string, readonly (readonly [keyword: string, rule: string, side: Side])[]>> = {
  string: [
    ['maxLength', 'max-length', 'upper'],
    ['minLength', 'min-length', 'lower'],
  ],
  array: [
    ['maxItems', 'max-items', 'upper'],
    ['minItems', 'min-items', 'lower'],
  ],
  object: [
    ['maxProperties', 'max-properties', 'upper'],
    ['minProperties', 'min-properties', 'lower'],
  ],
};

const NUMBER_RULES: Readonly<Record<string, string>> = {
  maximum: 'max',
  minimum: 'min',
  exclusiveMaximum: 'exclusive-max',
  exclusiveMinimum: 'exclusive-min',
};

/** Compares the limits of the values of one type: of numbers, lengths or sizes. */
export function compareBounds(at: Comparison, type: string, { base, revision }: Pair<Schema>): readonly Finding[] {
  const counts = (COUNTS[type] ?? []).flatMap(([keyword, rule, side]) => {
    const bounds = { base: countBound(base, keyword, side), revision: countBound(revision, keyword, side) };
    return compareBound(at, rule, side, bounds, revision);
  });
  if (type !== 'number') return counts;
  return (['upper', 'lower'] as const).flatMap((side) => {
    const bounds = { base: numberBound(base, side), revision: numberBound(revision, side) };
    const keyword = (bounds.revision ?? bounds.base)?.keyword ?? '';
    return compareBound(at, NUMBER_RULES[keyword] ?? keyword, side, bounds, revision);
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

function compareBound(
  at: Comparison,
  rule: string,
  side: Side,
  { base, revision }: Pair<Bound | undefined>,
  schema: Schema,
): readonly Finding[] {
  const [place] = keywordPlaces(schema, revision?.keyword ?? '');
  const found = (action: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `${rule}-${action}`, effect, text, place),
  ];
  if (base === undefined) {
    return revision === undefined ? [] : found('set', 'narrows', `${describe(revision)} was set`);
  }
  if (revision === undefined) return found('unset', 'widens', `${describe(base)} was removed`);
  if (base.limit === revision.limit && base.exclusive === revision.exclusive) return [];
  const text = `${describe(base)} became ${describe(revision)}`;
  const tighter = tightest([base, revision], side) === revision;
  const effect = tighter ? 'narrows' : 'widens';
  if (base.limit === revision.limit) return found(tighter ? 'set' : 'unset', effect, text);
  return found(revision.limit > base.limit ? 'increased' : 'decreased', effect, text);
}

function describe({ keyword, limit }: Bound): string {
  return `${keyword} ${String(limit)}`;
}

function countBound(schema: Schema, keyword: string, side: Side): Bound | undefined {
  const bound = tightest(limits(schema, keyword), side);
  // A minimum of 0 constrains nothing.
  return side === 'lower' && bound?.limit === 0 ? undefined : bound;
}

/** Returns the tightest limit of a number. In OpenAPI 3.0, `exclusiveMaximum: true` makes `maximum` exclusive. */
function numberBound(schema: Schema, side: Side): Bound | undefined {
  const [keyword, exclusiveKeyword] =
    side === 'upper' ? ['maximum', 'exclusiveMaximum'] : ['minimum', 'exclusiveMinimum'];
  const inclusive = schema.leaves.flatMap(({ value }) => {
    const { [keyword]: limit, [exclusiveKeyword]: exclusive } = membersOf(value);
    return typeof limit === 'number' ? [{ limit, exclusive: exclusive === true, keyword }] : [];
  });
  const exclusive = limits(schema, exclusiveKeyword).map((bound) => ({ ...bound, exclusive: true }));
  const bound = tightest([...inclusive, ...exclusive], side);
  // Converts an exclusive limit of integers to an inclusive one: above 0 means from 1.
  if (!bound?.exclusive || !typesOf(schema).every((type) => type === 'integer' || type === 'null')) return bound;
  const step = side === 'upper' ? -1 : 1;
  return { limit: bound.limit + step, exclusive: false, keyword: bound.keyword };
}

function limits({ leaves }: Schema, keyword: string): readonly Bound[] {
  return leaves.flatMap(({ value }) => {
    const limit = membersOf(value)[keyword];
    return typeof limit === 'number' ? [{ limit, exclusive: false, keyword }] : [];
  });
}

function tightest(bounds: readonly Bound[], side: Side): Bound | undefined {
  const sign = side === 'upper' ? 1 : -1;
  return [...bounds].sort((a, b) => (a.limit - b.limit) * sign || Number(b.exclusive) - Number(a.exclusive))[0];
}
