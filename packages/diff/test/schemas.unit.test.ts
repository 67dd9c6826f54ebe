import { integer, property, text } from '@contract-first/testing/document.ts';
import { breaks, found, narrows, NOTHING, summarizeBoth, widens, type SchemaRow } from './support/schema-findings.ts';

const cat = { type: 'object', required: ['kind'], properties: { kind: { const: 'cat' }, lives: integer } };
const dog = { type: 'object', required: ['kind'], properties: { kind: { const: 'dog' }, tricks: text } };
const SPECIALIZED = {
  request: ['ERR request-property-type-changed'],
  response: ['INFO response-property-type-specialized'],
};

test.each<SchemaRow>([
  ['any type to one', {}, text, SPECIALIZED],
  ['one type to any', text, {}, widens('property-type-generalized')],
  ['null by anyOf', text, { anyOf: [text, { type: 'null' }] }, widens('property-became-nullable')],
  ['a format added', text, { type: 'string', format: 'date' }, SPECIALIZED],
  ['a format removed', { type: 'string', format: 'date' }, text, widens('property-type-generalized')],
  [
    'another format',
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
    breaks('property-type-changed'),
  ],
  [
    'int32 to int64',
    { type: 'integer', format: 'int32' },
    { type: 'integer', format: 'int64' },
    widens('property-type-generalized'),
  ],
  ['a const to an enum with its value', { const: 'a' }, { enum: ['a', 'b'] }, widens('property-enum-value-added')],
  [
    'maximum made exclusive',
    { type: 'number', maximum: 1 },
    { type: 'number', exclusiveMaximum: 1 },
    narrows('property-exclusive-max-set'),
  ],
  [
    'a maximum that a double does not hold',
    { type: 'integer', maximum: 9007199254740993n },
    { type: 'integer', maximum: 9007199254740992n },
    narrows('property-max-decreased'),
  ],
  [
    'an exclusive maximum to the same inclusive one',
    { type: 'integer', exclusiveMaximum: 9007199254740994n },
    { type: 'integer', maximum: 9007199254740993n },
    NOTHING,
  ],
  [
    'a value that a double does not hold',
    { type: 'integer', enum: [9007199254740992n, 9007199254740993n] },
    { type: 'integer', enum: [9007199254740992n] },
    narrows('property-enum-value-removed'),
  ],
  [
    'a value above the maximum',
    { type: 'integer', maximum: 9007199254740992n, enum: [1, 9007199254740993n] },
    { type: 'integer', maximum: 9007199254740992n, enum: [1] },
    NOTHING,
  ],
  [
    'the names of properties',
    { type: 'object', propertyNames: { pattern: '^a' } },
    { type: 'object', propertyNames: { pattern: '^b' } },
    found('WARN', 'WARN', 'property-pattern-changed'),
  ],
  [
    'the type of items',
    { type: 'array', items: text },
    { type: 'array', items: integer },
    breaks('property-type-changed'),
  ],
  [
    'the type of other properties',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: integer },
    breaks('property-type-changed'),
  ],
  [
    'a bound inside an allOf',
    { allOf: [text, { maxLength: 9 }] },
    { allOf: [{ maxLength: 5 }, text] },
    narrows('property-max-length-decreased'),
  ],
  [
    'a value of alternatives removed',
    { oneOf: [{ const: 'a' }, { const: 'b' }] },
    { oneOf: [{ const: 'a' }] },
    narrows('property-enum-value-removed'),
  ],
  ['a choice without alternatives, which is ignored', { oneOf: [] }, text, SPECIALIZED],
  ['an alternative removed', { oneOf: [cat, dog] }, { oneOf: [cat] }, narrows('property-one-of-removed')],
  ['an alternative added', { anyOf: [cat, text] }, { anyOf: [text, dog, cat] }, widens('property-any-of-added')],
  [
    'requirements as alternatives removed',
    { ...property(text), oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    property(text),
    {
      request: ['INFO request-property-became-optional', 'INFO request-property-became-optional'],
      response: [
        'ERR response-property-one-of-added',
        'INFO response-property-one-of-removed',
        'INFO response-property-one-of-removed',
      ],
    },
  ],
  [
    'an optional property removed in two alternatives',
    { oneOf: [cat, dog] },
    {
      oneOf: [
        { ...cat, properties: { kind: cat.properties.kind } },
        { ...dog, properties: { kind: dog.properties.kind } },
      ],
    },
    {
      request: ['WARN request-property-removed', 'WARN request-property-removed'],
      response: ['WARN response-optional-property-removed', 'WARN response-optional-property-removed'],
    },
  ],
  [
    'a change inside an alternative',
    { oneOf: [cat, dog] },
    { oneOf: [dog, { ...cat, properties: { ...cat.properties, lives: text } }] },
    breaks('property-type-changed'),
  ],
  ['an alternative beside the old schema', cat, { oneOf: [dog, cat] }, widens('property-one-of-added')],
  [
    'two alternatives that both include the old schema, so that none is the only one',
    { ...property(text), required: ['p'] },
    { oneOf: [property(text), property({})] },
    {
      request: ['ERR request-property-wrapped-in-one-of'],
      response: ['ERR response-property-wrapped-in-one-of'],
    },
  ],
  [
    'alternatives that do not include the old schema',
    text,
    { oneOf: [{ ...text, maxLength: 5 }, { ...text, format: 'date' }, integer] },
    {
      request: ['ERR request-property-wrapped-in-one-of'],
      response: [
        'ERR response-property-one-of-added',
        'INFO response-property-max-length-set',
        'INFO response-property-type-specialized',
      ],
    },
  ],
])('the schema of a property: %s', (_name, base, revision, want) => {
  expect(summarizeBoth(property(base), property(revision))).toEqual(want);
});

const pet = { type: 'object', required: ['kind'], properties: { kind: text } };
const bird = { ...pet, properties: { kind: text, wings: integer } };
const petsNamed = (name: string, mapping?: object) => ({
  schema: { oneOf: [name, 'Bird'].map(ref), discriminator: { propertyName: 'kind', mapping } },
  rest: { components: { schemas: { [name]: pet, Bird: bird } } },
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a renamed component whose name is a value of a discriminator', () => {
  const [base, revision] = [petsNamed('Pet'), petsNamed('Animal')];
  expect(summarizeBoth(base.schema, revision.schema, base.rest, revision.rest)).toEqual({
    request: ['ERR request-body-discriminator-mapping-deleted'],
    response: ['INFO response-body-discriminator-mapping-deleted', 'WARN response-body-discriminator-mapping-added'],
  });
});

test('a renamed component with a value in the mapping of a discriminator', () => {
  const [base, revision] = ['Pet', 'Animal'].map((name) => petsNamed(name, { pet: ref(name).$ref, bird: 'Bird' }));
  expect(summarizeBoth(base?.schema, revision?.schema, base?.rest, revision?.rest)).toEqual(NOTHING);
});

test('alternatives that extend the schema are compared as alternatives that do not', () => {
  const [lives, wings] = ['lives', 'wings'].map((name) => ({ required: [name], properties: { [name]: integer } }));
  const extending = (part: unknown) => ({ allOf: [ref('Pet'), part] });
  const rest = (Pet: object) => ({ components: { schemas: { Pet, Cat: extending(lives), Bird: extending(wings) } } });
  const summarizeChoice = (...anyOf: readonly unknown[]) =>
    summarizeBoth(ref('Pet'), ref('Pet'), rest(pet), rest({ ...pet, anyOf }));
  const want = summarizeChoice(lives, wings);
  expect(want.request).toEqual(['ERR request-body-wrapped-in-one-of']);
  expect(summarizeChoice(ref('Cat'), ref('Bird'))).toEqual(want);
});

test('a new property with the name of a member of all objects', () => {
  const object = { type: 'object', properties: { a: text } };
  const revision = { ...object, properties: { ...object.properties, toString: integer } };
  expect(summarizeBoth(object, revision).response).toEqual(['INFO response-optional-property-added']);
});
