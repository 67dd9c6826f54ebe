import {
  compare,
  integer,
  property,
  requestWith,
  responseWith,
  text,
  type Fragment,
} from '@contract-first/testing/document.ts';
import { breaks, narrows, summarizeBoth, type Findings, type SchemaRow } from './support/schema-findings.ts';

test.each<SchemaRow>([
  [
    'a property required by another member of an allOf',
    { allOf: [property(text)] },
    { allOf: [property(text), { required: ['p'] }] },
    narrows('property-became-required'),
  ],
  [
    'another type of a readOnly property',
    property({ ...text, readOnly: true }),
    property({ ...integer, readOnly: true }),
    { request: [], response: ['ERR response-property-type-changed'] },
  ],
  [
    'another type of a writeOnly property',
    property({ ...text, writeOnly: true }),
    property({ ...integer, writeOnly: true }),
    { request: ['ERR request-property-type-changed'], response: [] },
  ],
  [
    'a new required readOnly property',
    { type: 'object' },
    { ...property({ ...text, readOnly: true }), required: ['p'] },
    { request: [], response: ['INFO response-required-property-added'] },
  ],
  [
    'a required property that became readOnly',
    { ...property(text), required: ['p'] },
    { ...property({ ...text, readOnly: true }), required: ['p'] },
    { request: ['INFO request-required-property-became-read-only'], response: [] },
  ],
  [
    'a required property that is no longer readOnly',
    { ...property({ ...text, readOnly: true }), required: ['p'] },
    { ...property(text), required: ['p'] },
    { request: ['ERR request-required-property-became-not-read-only'], response: [] },
  ],
  [
    'a required property that became writeOnly',
    { ...property(text), required: ['p'] },
    { ...property({ ...text, writeOnly: true }), required: ['p'] },
    { request: [], response: ['ERR response-required-property-became-write-only'] },
  ],
])('the schema of a body: %s', (_name, base, revision, want) => {
  expect(summarizeBoth(base, revision)).toEqual(want);
});

const kind = (lives: unknown): Fragment => ({
  allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', properties: { lives } }],
});
const pets = (mapping: Fragment | undefined, kinds: Fragment): Fragment => ({
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['kind'],
        properties: { kind: text },
        discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
      },
      ...kinds,
    },
  },
});
const CAT = { cat: '#/components/schemas/Cat' };
const BOTH = { ...CAT, dog: 'Dog' };
const KINDS = { Cat: kind(integer), Dog: kind(text) };

test.each<readonly [string, Fragment, Fragment, Findings]>([
  ['the same', pets(BOTH, KINDS), pets(BOTH, KINDS), { request: [], response: [] }],
  ['a kind changed', pets(BOTH, KINDS), pets(BOTH, { ...KINDS, Cat: kind(text) }), breaks('property-type-changed')],
  [
    'a kind without a mapping changed',
    pets(undefined, KINDS),
    pets(undefined, { ...KINDS, Dog: kind(integer) }),
    breaks('property-type-changed'),
  ],
])('kinds that are reachable only through a discriminator: %s', (_name, base, revision, want) => {
  const pet = { $ref: '#/components/schemas/Pet' };
  expect(summarizeBoth(pet, pet, base, revision)).toEqual(want);
});

const choice = (mapping: Fragment | undefined, ...names: readonly string[]): Fragment => ({
  oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
});
const RENAMED: Findings = {
  request: ['ERR request-body-discriminator-mapping-deleted'],
  response: ['INFO response-body-discriminator-mapping-deleted', 'WARN response-body-discriminator-mapping-added'],
};

test.each<readonly [string, Fragment, Fragment, Findings]>([
  ['the same', choice(BOTH, 'Cat', 'Dog'), choice(BOTH, 'Dog', 'Cat'), { request: [], response: [] }],
  ['another value', choice(BOTH, 'Cat', 'Dog'), choice({ ...CAT, hound: 'Dog' }, 'Cat', 'Dog'), RENAMED],
  [
    'the name of the component as the value',
    choice(undefined, 'Cat', 'Dog'),
    choice({ Cat: 'Cat', Dog: 'Dog' }, 'Cat', 'Dog'),
    { request: [], response: [] },
  ],
  [
    'an alternative removed with its value',
    choice(BOTH, 'Cat', 'Dog', 'Pet'),
    choice(CAT, 'Cat', 'Pet'),
    { request: ['ERR request-body-one-of-removed'], response: ['INFO response-body-one-of-removed'] },
  ],
])('the values of a discriminator beside a choice: %s', (_name, base, revision, want) => {
  const rest = pets(undefined, KINDS);
  expect(summarizeBoth(base, revision, rest, rest)).toEqual(want);
});

test('a new property of a response is a warning that says why, where the base forbids other properties', () => {
  const closed = { type: 'object', additionalProperties: false };
  const [found] = compare(responseWith(closed), responseWith({ ...closed, properties: { p: text } }));
  expect(found).toMatchObject({
    level: 'WARN',
    change: 'property p was added; other properties were forbidden, so clients that validate responses reject it',
  });
});

test('patternProperties with a pattern for every name are additionalProperties', () => {
  const objectWith = (keywords: Fragment) => responseWith({ type: 'object', ...keywords });
  const additional = objectWith({ additionalProperties: text });
  for (const pattern of ['.*', '^.+$', '']) {
    const patterns = objectWith({ patternProperties: { [pattern]: text } });
    expect([...compare(additional, patterns), ...compare(patterns, additional)]).toEqual([]);
    expect(compare(objectWith({ patternProperties: { [pattern]: integer } }), additional)).toMatchObject([
      { rule: 'response-property-type-changed', level: 'ERR', name: 'response 200 body/*' },
    ]);
  }
});

test('a removed property of a request is an error that says why, where the revision forbids other properties', () => {
  const closed = { type: 'object', additionalProperties: false };
  const [found] = compare(requestWith({ ...closed, properties: { p: text } }), requestWith(closed));
  expect(found).toMatchObject({ level: 'ERR', change: 'property p was removed; other properties are forbidden' });
});
