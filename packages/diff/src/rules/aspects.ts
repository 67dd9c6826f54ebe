import type { Subject } from './comparison.ts';
import { LEVELS, type Direction, type Effect, type Level } from './finding.ts';
import { LIMITS, OPAQUE } from './keywords.ts';

/** A change of a schema. The name of its rule is `SUBJECT-ASPECT`, its level follows from the effect. */
export type Aspect = {
  readonly aspect: string;
  readonly effects: Readonly<Record<Direction, readonly Effect[]>>;
  readonly subjects: readonly Subject[];
  readonly meaning: string;
};

/** The subjects of rules, as they are called in sentences. */
export const SUBJECTS: Readonly<Record<Subject, string>> = {
  'request-body': 'a request body',
  'request-property': 'a property of a request body',
  'request-parameter': 'a parameter',
  'request-parameter-property': 'a property or item of a parameter',
  'response-body': 'a response body',
  'response-property': 'a property of a response body',
  'response-header': 'a response header',
};
const ALL = Object.keys(SUBJECTS) as Subject[]; // The keys of a record with all subjects.
const PROPERTIES: readonly Subject[] = ['request-property', 'request-parameter-property', 'response-property'];
/** In the others, a specialized type is called a changed one. */
const WITH_SPECIALIZED: readonly Subject[] = [
  'request-parameter-property',
  'response-body',
  'response-property',
  'response-header',
];

/** Lists the changes of schemas that are reported. */
export const ASPECTS: readonly Aspect[] = [
  aspect('type-changed', ['differs', 'unsure'], 'the type or format was changed'),
  aspect('type-generalized', ['widens'], 'the type or format allows more values'),
  aspect('type-specialized', ['narrows'], 'the type or format allows fewer values', WITH_SPECIALIZED),
  aspect('list-of-types-widened', ['widens'], 'one of several types was added'),
  aspect('list-of-types-narrowed', ['narrows'], 'one of several types was removed'),
  aspect('became-nullable', ['widens'], 'null is allowed'),
  aspect('became-not-nullable', ['narrows'], 'null is no longer allowed'),
  aspect('became-enum', ['narrows'], 'enum was added'),
  aspect('became-not-enum', ['widens'], 'enum was removed'),
  aspect('enum-value-added', ['widens'], 'a value of enum was added'),
  aspect('enum-value-removed', ['narrows'], 'a value of enum was removed'),
  aspect('const-added', ['narrows'], 'const was added'),
  aspect('const-removed', ['widens'], 'const was removed'),
  aspect('const-changed', ['differs'], 'const was changed'),
  ...['added', 'removed', 'changed'].map((change) =>
    aspect(`default-value-${change}`, { request: ['unsure'], response: ['none'] }, `the default was ${change}`),
  ),
  ...LIMITS.flatMap(({ rule, keyword, side }) => [
    aspect(`${rule}-set`, ['narrows'], `${keyword} was set`),
    aspect(`${rule}-unset`, ['widens'], `${keyword} was removed`),
    aspect(`${rule}-increased`, [side === 'upper' ? 'widens' : 'narrows'], `${keyword} was increased`),
    aspect(`${rule}-decreased`, [side === 'upper' ? 'narrows' : 'widens'], `${keyword} was decreased`),
  ]),
  aspect('min-contains-increased', ['narrows'], 'minContains was increased'),
  aspect('min-contains-decreased', ['widens'], 'minContains was decreased'),
  aspect('multiple-of-set', ['narrows'], 'multipleOf was set'),
  aspect('multiple-of-unset', ['widens'], 'multipleOf was removed'),
  aspect('multiple-of-changed', ['narrows', 'widens', 'differs'], 'multipleOf was changed'),
  aspect('pattern-added', ['narrows'], 'pattern was added'),
  aspect('pattern-removed', { request: ['widens'], response: ['unsure'] }, 'pattern was removed'),
  aspect('pattern-changed', ['unsure'], 'pattern was changed'),
  aspect('unique-items-set', ['narrows'], 'items must be unique'),
  aspect('unique-items-unset', ['widens'], 'items need no longer be unique'),
  aspect('contains-added', ['narrows'], 'contains was added'),
  aspect('contains-removed', ['widens'], 'contains was removed'),
  aspect('contains-changed', ['unsure'], 'contains was changed, beside maxContains'),
  ...OPAQUE.flatMap(({ rule, keyword, change }) => [
    aspect(`${rule}-added`, ['narrows'], `${keyword} was added`),
    aspect(`${rule}-removed`, ['widens'], `${keyword} was removed`),
    aspect(`${rule}-changed`, [change], `${keyword} was changed`),
  ]),
  aspect('dependent-required-added', ['narrows'], 'a property requires another one'),
  aspect('dependent-required-removed', ['widens'], 'a property no longer requires another one'),
  aspect(
    'pattern-property-added',
    { request: ['narrows', 'widens'], response: ['narrows', 'unsure'] },
    'patternProperties has another pattern',
  ),
  aspect('pattern-property-removed', ['narrows', 'widens'], 'patternProperties lacks a pattern'),
  aspect('additional-properties-opened', { request: ['widens'], response: ['unsure'] }, 'other properties are allowed'),
  aspect('additional-properties-closed', ['narrows'], 'other properties are no longer allowed'),
  aspect('property-names-added', ['narrows'], 'propertyNames was added'),
  aspect('property-names-removed', ['widens'], 'propertyNames was removed'),
  aspect('one-of-added', ['widens'], 'an alternative of oneOf was added'),
  aspect('one-of-removed', ['narrows'], 'an alternative of oneOf was removed'),
  aspect('any-of-added', ['widens'], 'an alternative of anyOf was added'),
  aspect('any-of-removed', ['narrows'], 'an alternative of anyOf was removed'),
  aspect('one-of-overlap-changed', ['unsure'], 'a value may match another number of alternatives of oneOf'),
  aspect('wrapped-in-one-of', ['differs'], 'the schema became a choice that does not have it'),
  aspect('choices-changed', ['unsure'], 'oneOf and anyOf were changed in a way that is not analysed'),
  aspect('discriminator-property-name-changed', ['differs'], 'the discriminator has another property'),
  aspect('discriminator-mapping-added', { request: [], response: ['unsure'] }, 'the discriminator has another value'),
  aspect('discriminator-mapping-deleted', ['narrows'], 'the discriminator lacks a value'),
  aspect('deprecated', ['none'], 'it is deprecated', PROPERTIES),
  aspect('reactivated', ['none'], 'it is no longer deprecated', PROPERTIES),
];

/** Returns the levels of a change in one direction; none when it is not reported there. */
export function levelsOf({ effects }: Aspect, direction: Direction): readonly Level[] {
  return [...new Set(effects[direction].map((effect) => LEVELS[direction][effect]))];
}

function aspect(
  name: string,
  effects: readonly Effect[] | Aspect['effects'],
  meaning: string,
  subjects: readonly Subject[] = ALL,
): Aspect {
  const both = 'request' in effects ? effects : { request: effects, response: effects };
  return { aspect: name, effects: both, subjects, meaning };
}
