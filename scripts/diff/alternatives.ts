import { directionOf, report, type Comparison } from './comparison.ts';
import type { Finding } from './finding.ts';
import { target, type Pair, type Place } from './place.ts';
import { withoutChoices, type Choice, type Schema } from './schema-reader.ts';
import { typesOf } from './types.ts';

/** One schema of a `oneOf` or `anyOf`, as the conjunction of several places. */
type Alternative = { readonly places: readonly Place[]; readonly keyword: 'one-of' | 'any-of' };

/** Compares schemas that have the same number of choices, one by one. */
export function compareChoices(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  return base.choices.flatMap((before, index) => {
    const after = revision.choices[index];
    return after === undefined ? [] : compareAlternatives(at, { base: members(before), revision: members(after) });
  });
}

/** Compares a schema with a choice to one without, which is treated as one alternative for each of its types. */
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

/** Compares each alternative with the best match on the other side, regardless of their order. */
function compareAlternatives(at: Comparison, all: Pair<readonly Alternative[]>): readonly Finding[] {
  const unpaired = { base: new Set(all.base), revision: new Set(all.revision) };
  const findings: Finding[] = [];
  const compare = (base: Alternative, revision: Alternative): readonly Finding[] =>
    at.same({ base: base.places, revision: revision.places });
  const pairUp = (matches: (base: Alternative, revision: Alternative) => boolean): void => {
    for (const base of unpaired.base) {
      const revision = [...unpaired.revision].find((one) => matches(base, one));
      if (revision === undefined) continue;
      unpaired.base.delete(base);
      unpaired.revision.delete(revision);
      findings.push(...compare(base, revision));
    }
  };
  pairUp((base, revision) => nameOf(base) !== undefined && nameOf(base) === nameOf(revision));
  pairUp((base, revision) => compare(base, revision).length === 0);

  // Every request that the base allows, and every response that the revision allows, must match some alternative of the
  // other side, including those that have been paired already.
  const isRequest = directionOf(at) === 'request';
  for (const one of isRequest ? unpaired.base : unpaired.revision) {
    const pairs = isRequest
      ? all.revision.map((revision) => ({ base: one, revision }))
      : all.base.map((base) => ({ base, revision: one }));
    const match = pairs.find(({ base, revision }) => isHarmless(compare(base, revision)));
    if (match === undefined) continue;
    unpaired.base.delete(match.base);
    unpaired.revision.delete(match.revision);
    findings.push(...compare(match.base, match.revision));
  }
  pairUp((base, revision) => compare(base, revision).every(({ level }) => level !== 'ERR'));
  if (unpaired.base.size === 1 && unpaired.revision.size === 1) pairUp(() => true);
  return [...findings, ...reportUnpaired(at, unpaired, all)];
}

function reportUnpaired(
  at: Comparison,
  unpaired: Pair<ReadonlySet<Alternative>>,
  all: Pair<readonly Alternative[]>,
): readonly Finding[] {
  // A base without alternatives cannot lose one: its values match none of the new alternatives.
  const wrapped = all.base.length === 1 && all.revision.length > 1 && unpaired.base.size === 1;
  if (wrapped) return [report(at, 'wrapped-in-one-of', 'differs', 'none of the alternatives is the previous schema')];
  return [
    ...[...unpaired.base].map((one) =>
      report(at, `${one.keyword}-removed`, 'narrows', 'an alternative was removed', one.places.at(-1)),
    ),
    ...[...unpaired.revision].map((one) =>
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

/** Returns the reference of an alternative, which identifies it in both documents. */
function nameOf({ places }: Alternative): string | undefined {
  const own = places.at(-1);
  return own && target(own)?.pointer;
}

function isHarmless(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level === 'INFO');
}
