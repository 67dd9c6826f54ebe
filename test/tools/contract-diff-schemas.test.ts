import { describe, expect, test } from '@jest/globals';
import { property, requestWith, responseWith, summarize, type Fragment } from '../support/document.ts';

type SchemaRow = readonly [
  name: string,
  given: readonly [base: unknown, revision: unknown],
  want: { readonly request: readonly string[]; readonly response: readonly string[] },
];

const closed = (properties: Fragment, rest: Fragment = {}): Fragment => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});
const text = { type: 'string' };
const integer = { type: 'integer' };
const cat = { type: 'object', required: ['kind'], properties: { kind: { const: 'cat' }, lives: integer } };
const dog = { type: 'object', required: ['kind'], properties: { kind: { const: 'dog' }, tricks: text } };

/** Schemas of a property, each compared in a request and in a response. */
const PROPERTY_SCHEMAS: readonly SchemaRow[] = [
  [
    'another type',
    [text, integer],
    { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
  ],
  [
    'number to integer',
    [{ type: 'number' }, integer],
    { request: ['ERR request-property-type-changed'], response: ['INFO response-property-type-specialized'] },
  ],
  [
    'integer to number',
    [integer, { type: 'number' }],
    { request: ['INFO request-property-type-generalized'], response: ['ERR response-property-type-generalized'] },
  ],
  [
    'any type to one',
    [{}, text],
    { request: ['ERR request-property-type-changed'], response: ['INFO response-property-type-specialized'] },
  ],
  [
    'one type to any',
    [text, {}],
    { request: ['INFO request-property-type-generalized'], response: ['ERR response-property-type-generalized'] },
  ],
  [
    'a type fewer in a list',
    [{ type: ['string', 'integer', 'boolean'] }, { type: ['string', 'integer'] }],
    {
      request: ['ERR request-property-list-of-types-narrowed'],
      response: ['INFO response-property-list-of-types-narrowed'],
    },
  ],
  [
    'a type more in a list',
    [{ type: ['string', 'integer'] }, { type: ['string', 'integer', 'boolean'] }],
    {
      request: ['INFO request-property-list-of-types-widened'],
      response: ['ERR response-property-list-of-types-widened'],
    },
  ],
  [
    'null removed',
    [{ type: ['string', 'null'] }, text],
    { request: ['ERR request-property-became-not-nullable'], response: ['INFO response-property-became-not-nullable'] },
  ],
  [
    'null by anyOf',
    [text, { anyOf: [text, { type: 'null' }] }],
    { request: ['INFO request-property-became-nullable'], response: ['ERR response-property-became-nullable'] },
  ],
  [
    'a format added',
    [text, { type: 'string', format: 'date' }],
    { request: ['ERR request-property-type-changed'], response: ['INFO response-property-type-specialized'] },
  ],
  [
    'a format removed',
    [{ type: 'string', format: 'date' }, text],
    { request: ['INFO request-property-type-generalized'], response: ['ERR response-property-type-generalized'] },
  ],
  [
    'another format',
    [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
    { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
  ],
  [
    'int32 to int64',
    [
      { type: 'integer', format: 'int32' },
      { type: 'integer', format: 'int64' },
    ],
    { request: ['INFO request-property-type-generalized'], response: ['ERR response-property-type-generalized'] },
  ],
  [
    'a value of an enum removed',
    [{ enum: ['a', 'b'] }, { enum: ['a'] }],
    { request: ['ERR request-property-enum-value-removed'], response: ['INFO response-property-enum-value-removed'] },
  ],
  [
    'a value of an enum added',
    [{ enum: ['a'] }, { enum: ['a', 'b'] }],
    { request: ['INFO request-property-enum-value-added'], response: ['ERR response-property-enum-value-added'] },
  ],
  [
    'an enum added',
    [text, { type: 'string', enum: ['a'] }],
    { request: ['ERR request-property-became-enum'], response: ['INFO response-property-became-enum'] },
  ],
  [
    'an enum removed',
    [{ type: 'string', enum: ['a'] }, text],
    { request: ['INFO request-property-became-not-enum'], response: ['ERR response-property-became-not-enum'] },
  ],
  [
    'a const added',
    [text, { const: 'a' }],
    { request: ['ERR request-property-const-added'], response: ['INFO response-property-const-added'] },
  ],
  [
    'a const removed',
    [{ const: 'a' }, text],
    { request: ['INFO request-property-const-removed'], response: ['ERR response-property-const-removed'] },
  ],
  [
    'another const',
    [{ const: 'a' }, { const: 'b' }],
    { request: ['ERR request-property-const-changed'], response: ['ERR response-property-const-changed'] },
  ],
  [
    'a const to an enum with its value',
    [{ const: 'a' }, { enum: ['a', 'b'] }],
    { request: ['INFO request-property-enum-value-added'], response: ['ERR response-property-enum-value-added'] },
  ],
  [
    'maximum decreased',
    [
      { ...integer, maximum: 9 },
      { ...integer, maximum: 8 },
    ],
    { request: ['ERR request-property-max-decreased'], response: ['INFO response-property-max-decreased'] },
  ],
  [
    'maximum increased',
    [
      { ...integer, maximum: 8 },
      { ...integer, maximum: 9 },
    ],
    { request: ['INFO request-property-max-increased'], response: ['ERR response-property-max-increased'] },
  ],
  [
    'minimum set',
    [integer, { ...integer, minimum: 0 }],
    { request: ['ERR request-property-min-set'], response: ['INFO response-property-min-set'] },
  ],
  [
    'minimum removed',
    [{ ...integer, minimum: 0 }, integer],
    { request: ['INFO request-property-min-unset'], response: ['ERR response-property-min-unset'] },
  ],
  [
    'exclusiveMinimum increased',
    [
      { type: 'number', exclusiveMinimum: 1 },
      { type: 'number', exclusiveMinimum: 2 },
    ],
    {
      request: ['ERR request-property-exclusive-min-increased'],
      response: ['INFO response-property-exclusive-min-increased'],
    },
  ],
  [
    'maximum made exclusive',
    [
      { type: 'number', maximum: 1 },
      { type: 'number', exclusiveMaximum: 1 },
    ],
    { request: ['ERR request-property-exclusive-max-set'], response: ['INFO response-property-exclusive-max-set'] },
  ],
  [
    'maxLength set',
    [text, { ...text, maxLength: 9 }],
    { request: ['ERR request-property-max-length-set'], response: ['INFO response-property-max-length-set'] },
  ],
  [
    'maxLength removed',
    [{ ...text, maxLength: 9 }, text],
    { request: ['INFO request-property-max-length-unset'], response: ['ERR response-property-max-length-unset'] },
  ],
  [
    'minLength decreased',
    [
      { ...text, minLength: 2 },
      { ...text, minLength: 1 },
    ],
    {
      request: ['INFO request-property-min-length-decreased'],
      response: ['ERR response-property-min-length-decreased'],
    },
  ],
  [
    'maxItems decreased',
    [
      { type: 'array', maxItems: 9 },
      { type: 'array', maxItems: 8 },
    ],
    { request: ['ERR request-property-max-items-decreased'], response: ['INFO response-property-max-items-decreased'] },
  ],
  [
    'minItems removed',
    [{ type: 'array', minItems: 1 }, { type: 'array' }],
    { request: ['INFO request-property-min-items-unset'], response: ['ERR response-property-min-items-unset'] },
  ],
  [
    'minProperties set',
    [{ type: 'object' }, { type: 'object', minProperties: 1 }],
    { request: ['ERR request-property-min-properties-set'], response: ['INFO response-property-min-properties-set'] },
  ],
  [
    'uniqueItems set',
    [{ type: 'array' }, { type: 'array', uniqueItems: true }],
    { request: ['ERR request-property-unique-items-set'], response: ['INFO response-property-unique-items-set'] },
  ],
  [
    'uniqueItems removed',
    [{ type: 'array', uniqueItems: true }, { type: 'array' }],
    { request: ['INFO request-property-unique-items-unset'], response: ['ERR response-property-unique-items-unset'] },
  ],
  [
    'multipleOf that does not divide the old one',
    [
      { ...integer, multipleOf: 2 },
      { ...integer, multipleOf: 4 },
    ],
    { request: ['ERR request-property-multiple-of-changed'], response: ['INFO response-property-multiple-of-changed'] },
  ],
  [
    'a pattern added',
    [text, { ...text, pattern: '^a' }],
    { request: ['ERR request-property-pattern-added'], response: ['INFO response-property-pattern-added'] },
  ],
  [
    'a pattern removed',
    [{ ...text, pattern: '^a' }, text],
    { request: ['INFO request-property-pattern-removed'], response: ['ERR response-property-pattern-removed'] },
  ],
  [
    'another pattern',
    [
      { ...text, pattern: '^a' },
      { ...text, pattern: '^b' },
    ],
    { request: ['WARN request-property-pattern-changed'], response: ['WARN response-property-pattern-changed'] },
  ],
  [
    'another default',
    [
      { ...text, default: 'a' },
      { ...text, default: 'b' },
    ],
    {
      request: ['WARN request-property-default-value-changed'],
      response: ['INFO response-property-default-value-changed'],
    },
  ],
  [
    'deprecated',
    [text, { ...text, deprecated: true }],
    { request: ['INFO request-property-deprecated'], response: ['INFO response-property-deprecated'] },
  ],
  [
    'a keyword that is not analysed added',
    [text, { ...text, not: { const: 'a' } }],
    { request: ['ERR request-property-not-added'], response: ['INFO response-property-not-added'] },
  ],
  [
    'a keyword that is not analysed changed',
    [
      { type: 'object', propertyNames: { pattern: '^a' } },
      { type: 'object', propertyNames: { pattern: '^b' } },
    ],
    {
      request: ['WARN request-property-property-names-changed'],
      response: ['WARN response-property-property-names-changed'],
    },
  ],
  [
    'the type of items',
    [
      { type: 'array', items: text },
      { type: 'array', items: integer },
    ],
    { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
  ],
  [
    'the type of other properties',
    [
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: integer },
    ],
    { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
  ],
  [
    'a bound inside an allOf',
    [{ allOf: [text, { maxLength: 9 }] }, { allOf: [{ maxLength: 5 }, text] }],
    {
      request: ['ERR request-property-max-length-decreased'],
      response: ['INFO response-property-max-length-decreased'],
    },
  ],
  [
    'an alternative removed',
    [{ oneOf: [cat, dog] }, { oneOf: [cat] }],
    { request: ['ERR request-property-one-of-removed'], response: ['INFO response-property-one-of-removed'] },
  ],
  [
    'an alternative added',
    [{ anyOf: [cat, text] }, { anyOf: [text, dog, cat] }],
    { request: ['INFO request-property-any-of-added'], response: ['ERR response-property-any-of-added'] },
  ],
  [
    'requirements as alternatives removed',
    [{ ...property(text), oneOf: [{ required: ['a'] }, { required: ['b'] }] }, property(text)],
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
    [
      { oneOf: [cat, dog] },
      {
        oneOf: [
          { ...cat, properties: { kind: cat.properties.kind } },
          { ...dog, properties: { kind: dog.properties.kind } },
        ],
      },
    ],
    {
      request: ['WARN request-property-removed', 'WARN request-property-removed'],
      response: ['WARN response-optional-property-removed', 'WARN response-optional-property-removed'],
    },
  ],
  [
    'a change inside an alternative',
    [{ oneOf: [cat, dog] }, { oneOf: [dog, { ...cat, properties: { ...cat.properties, lives: text } }] }],
    { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
  ],
  [
    'an alternative beside the old schema',
    [cat, { oneOf: [dog, cat] }],
    { request: ['INFO request-property-one-of-added'], response: ['ERR response-property-one-of-added'] },
  ],
  [
    'alternatives that do not include the old schema',
    [text, { oneOf: [{ ...text, maxLength: 5 }, { ...text, format: 'date' }, integer] }],
    {
      request: ['ERR request-property-wrapped-in-one-of'],
      response: [
        'ERR response-property-one-of-added',
        'INFO response-property-max-length-set',
        'INFO response-property-type-specialized',
      ],
    },
  ],
];

/** Schemas of the body itself. */
const BODY_SCHEMAS: readonly SchemaRow[] = [
  [
    'another type',
    [text, integer],
    { request: ['ERR request-body-type-changed'], response: ['ERR response-body-type-changed'] },
  ],
  [
    'null',
    [{ type: 'object' }, { type: ['object', 'null'] }],
    { request: ['INFO request-body-became-nullable'], response: ['ERR response-body-became-nullable'] },
  ],
  [
    'a new required property',
    [property({}), { type: 'object', required: ['q'], properties: { p: {}, q: text } }],
    { request: ['ERR new-required-request-property'], response: ['INFO response-required-property-added'] },
  ],
  [
    'a new required property with a default',
    [property({}), { type: 'object', required: ['q'], properties: { p: {}, q: { ...text, default: 'a' } } }],
    {
      request: ['ERR new-required-request-property-with-default'],
      response: ['INFO response-required-property-added'],
    },
  ],
  [
    'a new optional property',
    [property({}), { type: 'object', properties: { p: {}, q: text } }],
    { request: ['INFO new-optional-request-property'], response: ['INFO response-optional-property-added'] },
  ],
  [
    'a new property of a closed object',
    [closed({ p: {} }), closed({ p: {}, q: {} })],
    { request: ['INFO new-optional-request-property'], response: ['WARN response-optional-property-added'] },
  ],
  [
    'a required property removed',
    [{ type: 'object', required: ['p'], properties: { p: text } }, { type: 'object' }],
    { request: ['WARN request-property-removed'], response: ['ERR response-required-property-removed'] },
  ],
  [
    'an optional property removed',
    [property(text), { type: 'object' }],
    { request: ['WARN request-property-removed'], response: ['WARN response-optional-property-removed'] },
  ],
  [
    'a property removed from a closed object',
    [closed({ p: {}, q: {} }), closed({ p: {} })],
    { request: ['ERR request-property-removed'], response: ['WARN response-optional-property-removed'] },
  ],
  [
    'a property that became required',
    [property(text), { ...property(text), required: ['p'] }],
    { request: ['ERR request-property-became-required'], response: ['INFO response-property-became-required'] },
  ],
  [
    'a property with a default that became required',
    [property({ ...text, default: 'a' }), { ...property({ ...text, default: 'a' }), required: ['p'] }],
    {
      request: ['ERR request-property-became-required-with-default'],
      response: ['INFO response-property-became-required'],
    },
  ],
  [
    'a property that became optional',
    [{ ...property(text), required: ['p'] }, property(text)],
    { request: ['INFO request-property-became-optional'], response: ['ERR response-property-became-optional'] },
  ],
  [
    'a property required by another member of an allOf',
    [{ allOf: [property(text)] }, { allOf: [property(text), { required: ['p'] }] }],
    { request: ['ERR request-property-became-required'], response: ['INFO response-property-became-required'] },
  ],
  [
    'other properties forbidden',
    [property(text), closed({ p: text })],
    {
      request: ['ERR request-body-additional-properties-closed'],
      response: ['INFO response-body-additional-properties-closed'],
    },
  ],
  [
    'other properties',
    [closed({ p: text }), property(text)],
    {
      request: ['INFO request-body-additional-properties-opened'],
      response: ['WARN response-body-additional-properties-opened'],
    },
  ],
  [
    'another type of a readOnly property',
    [property({ ...text, readOnly: true }), property({ ...integer, readOnly: true })],
    { request: [], response: ['ERR response-property-type-changed'] },
  ],
  [
    'another type of a writeOnly property',
    [property({ ...text, writeOnly: true }), property({ ...integer, writeOnly: true })],
    { request: ['ERR request-property-type-changed'], response: [] },
  ],
  [
    'a new required readOnly property',
    [{ type: 'object' }, { ...property({ ...text, readOnly: true }), required: ['p'] }],
    { request: [], response: ['INFO response-required-property-added'] },
  ],
  [
    'a required property that became readOnly',
    [
      { ...property(text), required: ['p'] },
      { ...property({ ...text, readOnly: true }), required: ['p'] },
    ],
    { request: ['INFO request-required-property-became-read-only'], response: [] },
  ],
  [
    'a required property that is no longer readOnly',
    [
      { ...property({ ...text, readOnly: true }), required: ['p'] },
      { ...property(text), required: ['p'] },
    ],
    { request: ['ERR request-required-property-became-not-read-only'], response: [] },
  ],
  [
    'a required property that became writeOnly',
    [
      { ...property(text), required: ['p'] },
      { ...property({ ...text, writeOnly: true }), required: ['p'] },
    ],
    { request: [], response: ['ERR response-required-property-became-write-only'] },
  ],
];

describe.each([
  ['a property', PROPERTY_SCHEMAS, property],
  ['a body', BODY_SCHEMAS, (schema: unknown) => schema],
] as const)('the schema of %s:', (_where, rows, wrap) => {
  test.each(rows)('%s', (_name, [base, revision], want) => {
    expect({
      request: summarize(requestWith(wrap(base)), requestWith(wrap(revision))),
      response: summarize(responseWith(wrap(base)), responseWith(wrap(revision))),
    }).toEqual(want);
  });
});

describe('kinds that are reachable only through a discriminator:', () => {
  const kind = (lives: unknown): Fragment => ({
    allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', properties: { lives } }],
  });
  const pets = (mapping: Fragment | undefined, kinds: Fragment, propertyName = 'kind'): Fragment => ({
    components: {
      schemas: {
        Pet: {
          type: 'object',
          required: ['kind', 'type'],
          properties: { kind: text, type: text },
          discriminator: { propertyName, ...(mapping && { mapping }) },
        },
        ...kinds,
      },
    },
  });
  const CAT = { cat: '#/components/schemas/Cat' };
  const BOTH = { ...CAT, dog: 'Dog' };
  const KINDS = { Cat: kind(integer), Dog: kind(text) };

  test.each<readonly [string, readonly [Fragment, Fragment], SchemaRow[2]]>([
    ['the same', [pets(BOTH, KINDS), pets(BOTH, KINDS)], { request: [], response: [] }],
    [
      'a kind changed',
      [pets(BOTH, KINDS), pets(BOTH, { ...KINDS, Cat: kind(text) })],
      { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
    ],
    [
      'a kind without a mapping changed',
      [pets(undefined, KINDS), pets(undefined, { ...KINDS, Dog: kind(integer) })],
      { request: ['ERR request-property-type-changed'], response: ['ERR response-property-type-changed'] },
    ],
    [
      'a kind removed',
      [pets(BOTH, KINDS), pets(CAT, KINDS)],
      {
        request: ['ERR request-body-discriminator-mapping-deleted'],
        response: ['INFO response-body-discriminator-mapping-deleted'],
      },
    ],
    [
      'a kind added',
      [pets(CAT, KINDS), pets(BOTH, KINDS)],
      { request: [], response: ['WARN response-body-discriminator-mapping-added'] },
    ],
    [
      'distinguished by another property',
      [pets(BOTH, KINDS), pets(BOTH, KINDS, 'type')],
      {
        request: ['ERR request-body-discriminator-property-name-changed'],
        response: ['ERR response-body-discriminator-property-name-changed'],
      },
    ],
  ])('%s', (_name, [base, revision], want) => {
    const pet = { $ref: '#/components/schemas/Pet' };
    expect({
      request: summarize(requestWith(pet, base), requestWith(pet, revision)),
      response: summarize(responseWith(pet, base), responseWith(pet, revision)),
    }).toEqual(want);
  });
});
