import { canonicalSchema } from './canonical.ts';
import { report, type Comparison } from './comparison.ts';
import type { Finding } from './finding.ts';
import type { Pair } from './place.ts';
import { keywordPlaces, keywordValues, type Schema } from './schema-reader.ts';

/** Keywords that are only compared as text: each was added, removed or changed. */
const OPAQUE: Readonly<Record<string, string>> = {
  not: 'not',
  if: 'if',
  then: 'then',
  else: 'else',
  contains: 'contains',
  minContains: 'min-contains',
  maxContains: 'max-contains',
  prefixItems: 'prefix-items',
  propertyNames: 'property-names',
  patternProperties: 'pattern-property',
  dependentRequired: 'dependent-required',
  dependentSchemas: 'dependent-schema',
  unevaluatedItems: 'unevaluated-items',
  contentEncoding: 'content-encoding',
  contentMediaType: 'content-media-type',
  contentSchema: 'content-schema',
};

/** Compares `pattern`, `multipleOf`, `uniqueItems` and the keywords that are only compared as text. */
export function compareConstraints(at: Comparison, schemas: Pair<Schema>): readonly Finding[] {
  return [
    ...comparePatterns(at, schemas),
    ...compareMultiples(at, schemas),
    ...compareUniqueness(at, schemas),
    ...Object.entries(OPAQUE).flatMap(([keyword, rule]) => compareOpaque(at, keyword, rule, schemas)),
  ];
}

function comparePatterns(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const before = new Set(keywordValues(base, 'pattern').map(String));
  const after = new Set(keywordValues(revision, 'pattern').map(String));
  const added = [...after.difference(before)].join(' and ');
  const removed = [...before.difference(after)].join(' and ');
  const [place] = keywordPlaces(revision, 'pattern');
  if (added === '' && removed === '') return [];
  if (removed === '') return [report(at, 'pattern-added', 'narrows', `pattern ${added} was added`, place)];
  if (added === '') return [report(at, 'pattern-removed', 'widens', `pattern ${removed} was removed`)];
  return [report(at, 'pattern-changed', 'unsure', `pattern ${removed} became ${added}`, place)];
}

function compareMultiples(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before] = keywordValues(base, 'multipleOf').map(Number);
  const [after] = keywordValues(revision, 'multipleOf').map(Number);
  const [place] = keywordPlaces(revision, 'multipleOf');
  if (before === after) return [];
  if (before === undefined) {
    return [report(at, 'multiple-of-set', 'narrows', `multipleOf ${String(after)} was set`, place)];
  }
  if (after === undefined) {
    return [report(at, 'multiple-of-unset', 'widens', `multipleOf ${String(before)} was removed`)];
  }
  const effect = after % before === 0 ? 'narrows' : before % after === 0 ? 'widens' : 'differs';
  const text = `multipleOf ${String(before)} became ${String(after)}`;
  return [report(at, 'multiple-of-changed', effect, text, place)];
}

function compareUniqueness(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const before = keywordValues(base, 'uniqueItems').includes(true);
  const after = keywordValues(revision, 'uniqueItems').includes(true);
  if (before === after) return [];
  return after
    ? [report(at, 'unique-items-set', 'narrows', 'items must be unique')]
    : [report(at, 'unique-items-unset', 'widens', 'items need no longer be unique')];
}

function compareOpaque(
  at: Comparison,
  keyword: string,
  rule: string,
  { base, revision }: Pair<Schema>,
): readonly Finding[] {
  const read = (schema: Schema): string =>
    keywordPlaces(schema, keyword)
      .map((place) => canonicalSchema(place))
      .sort()
      .join();
  const [before, after] = [read(base), read(revision)];
  const [place] = keywordPlaces(revision, keyword);
  if (before === after) return [];
  if (before === '') return [report(at, `${rule}-added`, 'narrows', `${keyword} was added`, place)];
  if (after === '') return [report(at, `${rule}-removed`, 'widens', `${keyword} was removed`)];
  return [report(at, `${rule}-changed`, 'unsure', `${keyword} was changed in a way that is not analysed`, place)];
}
