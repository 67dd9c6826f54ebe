import { describe, expect, test } from '@jest/globals';
import { integer, property, text, type Fragment } from '../support/document.ts';
import {
  breaks,
  found,
  narrows,
  summarizeBoth,
  widens,
  type Findings,
  type SchemaRow,
} from '../support/schema-findings.ts';

const closed = (properties: Fragment, rest: Fragment = {}): Fragment => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...rest,
});

describe('the schema of a body:', () => {
  test.each<SchemaRow>([
    ['another type', text, integer, breaks('body-type-changed')],
    ['null', { type: 'object' }, { type: ['object', 'null'] }, widens('body-became-nullable')],
    [
      'a new required property',
      property({}),
      { type: 'object', required: ['q'], properties: { p: {}, q: text } },
      { request: ['ERR new-required-request-property'], response: ['INFO response-required-property-added'] },
    ],
    [
      'a new required property with a default',
      property({}),
      { type: 'object', required: ['q'], properties: { p: {}, q: { ...text, default: 'a' } } },
      {
        request: ['ERR new-required-request-property-with-default'],
        response: ['INFO response-required-property-added'],
      },
    ],
    [
      'a new optional property',
      property({}),
      { type: 'object', properties: { p: {}, q: text } },
      { request: ['INFO new-optional-request-property'], response: ['INFO response-optional-property-added'] },
    ],
    [
      'a new property of a closed object',
      closed({ p: {} }),
      closed({ p: {}, q: {} }),
      { request: ['INFO new-optional-request-property'], response: ['WARN response-optional-property-added'] },
    ],
    [
      'a required property removed',
      { type: 'object', required: ['p'], properties: { p: text } },
      { type: 'object' },
      { request: ['WARN request-property-removed'], response: ['ERR response-required-property-removed'] },
    ],
    [
      'an optional property removed',
      property(text),
      { type: 'object' },
      { request: ['WARN request-property-removed'], response: ['WARN response-optional-property-removed'] },
    ],
    [
      'a property removed from a closed object',
      closed({ p: {}, q: {} }),
      closed({ p: {} }),
      { request: ['ERR request-property-removed'], response: ['WARN response-optional-property-removed'] },
    ],
    [
      'a property that became required',
      property(text),
      { ...property(text), required: ['p'] },
      narrows('property-became-required'),
    ],
    [
      'a property with a default that became required',
      property({ ...text, default: 'a' }),
      { ...property({ ...text, default: 'a' }), required: ['p'] },
      {
        request: ['ERR request-property-became-required-with-default'],
        response: ['INFO response-property-became-required'],
      },
    ],
    [
      'a property that became optional',
      { ...property(text), required: ['p'] },
      property(text),
      widens('property-became-optional'),
    ],
    [
      'a property required by another member of an allOf',
      { allOf: [property(text)] },
      { allOf: [property(text), { required: ['p'] }] },
      narrows('property-became-required'),
    ],
    ['other properties forbidden', property(text), closed({ p: text }), narrows('body-additional-properties-closed')],
    [
      'other properties',
      closed({ p: text }),
      property(text),
      found('INFO', 'WARN', 'body-additional-properties-opened'),
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
  ])('%s', (_name, base, revision, want) => {
    expect(summarizeBoth(base, revision)).toEqual(want);
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

  test.each<readonly [string, Fragment, Fragment, Findings]>([
    ['the same', pets(BOTH, KINDS), pets(BOTH, KINDS), { request: [], response: [] }],
    ['a kind changed', pets(BOTH, KINDS), pets(BOTH, { ...KINDS, Cat: kind(text) }), breaks('property-type-changed')],
    [
      'a kind without a mapping changed',
      pets(undefined, KINDS),
      pets(undefined, { ...KINDS, Dog: kind(integer) }),
      breaks('property-type-changed'),
    ],
    ['a kind removed', pets(BOTH, KINDS), pets(CAT, KINDS), narrows('body-discriminator-mapping-deleted')],
    [
      'a kind added',
      pets(CAT, KINDS),
      pets(BOTH, KINDS),
      { request: [], response: ['WARN response-body-discriminator-mapping-added'] },
    ],
    [
      'distinguished by another property',
      pets(BOTH, KINDS),
      pets(BOTH, KINDS, 'type'),
      breaks('body-discriminator-property-name-changed'),
    ],
  ])('%s', (_name, base, revision, want) => {
    const pet = { $ref: '#/components/schemas/Pet' };
    expect(summarizeBoth(pet, pet, base, revision)).toEqual(want);
  });
});
