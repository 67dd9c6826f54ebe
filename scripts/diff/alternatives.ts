import { directionOf, report, type Comparison } from './comparison.ts';
import type { Finding } from './finding.ts';
import { target, type Pair, type Place } from './place.ts';
import { withoutChoices, type Choice, type Schema } from './schema-reader.ts';
import { typesOf } from './types.ts';

/** One schema of a `oneOf` or `anyOf`: the conjunction of the places. `keyword` is what holds it. */
type Alternative = { readonly places: readonly Place[]; readonly keyword: 'one-of' | 'any-of' };

/** Compares schemas that have the same number of choices, one by one. */
export function compareChoices(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  return base.choices.flatMap((before, index) => {
    const after = revision.choices[index];
    return after === undefined ? [] : compareAlternatives(at, { base: members(before), revision: members(after) });
  });
}

/** Compares a schema with a choice to one without: the latter counts as one alternative for each of its types. */
export function compareWithChoice(at: Comparison, schemas: Pair<Schema>, plain: Pair<readonly Place[]>) {
  const read = (schema: Schema, places: readonly Place[]): readonly Alternative[] => {
    const [choice] = schema.choices;
    if (choice === undefined) return splitByType(at, schema, places);
    const rest = withoutChoices(schema);
    return members(choice).map(({ places: own, keyword }) => ({ places: [...rest, ...own], keyword }));
  };
  const base = read(schemas.base, plain.base);
  const revision = read(schemas.revision, plain.revision);
  return compareAlternatives(at, { base, revision });
}

/** What is accepted must find a place among the alternatives of the other side; which one does not matter. */
function compareAlternatives(at: Comparison, all: Pair<readonly Alternative[]>): readonly Finding[] {
  const left = { base: new Set(all.base), revision: new Set(all.revision) };
  const findings: Finding[] = [];
  const compare = (base: Alternative, revision: Alternative): readonly Finding[] =>
    at.same({ base: base.places, revision: revision.places });
  const pairUp = (belong: (base: Alternative, revision: Alternative) => boolean): void => {
    for (const base of left.base) {
      const revision = [...left.revision].find((one) => belong(base, one));
      if (revision === undefined) continue;
      left.base.delete(base);
      left.revision.delete(revision);
      findings.push(...compare(base, revision));
    }
  };
  pairUp((base, revision) => nameOf(base) !== undefined && nameOf(base) === nameOf(revision));
  pairUp((base, revision) => compare(base, revision).length === 0);

  // Clients send what the base allows, and get what the revision allows: each of these must fit some alternative of the
  // other side, be that taken or not.
  const isRequest = directionOf(at) === 'request';
  for (const one of isRequest ? left.base : left.revision) {
    const pairs = isRequest
      ? all.revision.map((revision) => ({ base: one, revision }))
      : all.base.map((base) => ({ base, revision: one }));
    const fit = pairs.find(({ base, revision }) => isHarmless(compare(base, revision)));
    if (fit === undefined) continue;
    left.base.delete(fit.base);
    left.revision.delete(fit.revision);
    findings.push(...compare(fit.base, fit.revision));
  }
  pairUp((base, revision) => compare(base, revision).every(({ level }) => level !== 'ERR'));
  if (left.base.size === 1 && left.revision.size === 1) pairUp(() => true);
  return [...findings, ...reportRest(at, left, all)];
}

function reportRest(
  at: Comparison,
  left: Pair<ReadonlySet<Alternative>>,
  all: Pair<readonly Alternative[]>,
): readonly Finding[] {
  // A schema without alternatives has not lost one: its values don't fit any of those there are now.
  const wrapped = all.base.length === 1 && all.revision.length > 1 && left.base.size === 1;
  if (wrapped) return [report(at, 'wrapped-in-one-of', 'differs', 'none of the alternatives is what there was')];
  return [
    ...[...left.base].map((one) =>
      report(at, `${one.keyword}-removed`, 'narrows', 'an alternative was removed', one.places.at(-1)),
    ),
    ...[...left.revision].map((one) =>
      report(at, `${one.keyword}-added`, 'widens', 'an alternative was added', one.places.at(-1)),
    ),
  ];
}

function members({ place, members }: Choice): readonly Alternative[] {
  const keyword = place.pointer.endsWith('anyOf') ? 'any-of' : 'one-of';
  return members.map((member) => ({ places: [member], keyword }));
}

function splitByType(at: Comparison, schema: Schema, places: readonly Place[]): readonly Alternative[] {
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.length < 2) return [{ places, keyword: 'one-of' }];
  return types.map((type) => ({ places: [...places, { ...at.place, value: { type } }], keyword: 'one-of' }));
}

/** What an alternative is called in both documents. */
function nameOf({ places }: Alternative): string | undefined {
  const own = places.at(-1);
  return own && target(own)?.pointer;
}

function isHarmless(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level === 'INFO');
}
