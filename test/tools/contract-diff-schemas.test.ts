import { describe, expect, test } from '@jest/globals';
import { integer, property, text } from '../support/document.ts';
import { breaks, found, narrows, summarizeBoth, widens, type SchemaRow } from '../support/schema-findings.ts';

const cat = { type: 'object', required: ['kind'], properties: { kind: { const: 'cat' }, lives: integer } };
const dog = { type: 'object', required: ['kind'], properties: { kind: { const: 'dog' }, tricks: text } };
const SPECIALIZED = {
  request: ['ERR request-property-type-changed'],
  response: ['INFO response-property-type-specialized'],
};

describe('the schema of a property:', () => {
  test.each<SchemaRow>([
    ['another type', text, integer, breaks('property-type-changed')],
    ['number to integer', { type: 'number' }, integer, SPECIALIZED],
    ['integer to number', integer, { type: 'number' }, widens('property-type-generalized')],
    ['any type to one', {}, text, SPECIALIZED],
    ['one type to any', text, {}, widens('property-type-generalized')],
    [
      'a type fewer in a list',
      { type: ['string', 'integer', 'boolean'] },
      { type: ['string', 'integer'] },
      narrows('property-list-of-types-narrowed'),
    ],
    [
      'a type more in a list',
      { type: ['string', 'integer'] },
      { type: ['string', 'integer', 'boolean'] },
      widens('property-list-of-types-widened'),
    ],
    ['null removed', { type: ['string', 'null'] }, text, narrows('property-became-not-nullable')],
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
    ['a value of an enum removed', { enum: ['a', 'b'] }, { enum: ['a'] }, narrows('property-enum-value-removed')],
    ['a value of an enum added', { enum: ['a'] }, { enum: ['a', 'b'] }, widens('property-enum-value-added')],
    ['an enum added', text, { type: 'string', enum: ['a'] }, narrows('property-became-enum')],
    ['an enum removed', { type: 'string', enum: ['a'] }, text, widens('property-became-not-enum')],
    ['a const added', text, { const: 'a' }, narrows('property-const-added')],
    ['a const removed', { const: 'a' }, text, widens('property-const-removed')],
    ['another const', { const: 'a' }, { const: 'b' }, breaks('property-const-changed')],
    ['a const to an enum with its value', { const: 'a' }, { enum: ['a', 'b'] }, widens('property-enum-value-added')],
    ['maximum decreased', { ...integer, maximum: 9 }, { ...integer, maximum: 8 }, narrows('property-max-decreased')],
    ['maximum increased', { ...integer, maximum: 8 }, { ...integer, maximum: 9 }, widens('property-max-increased')],
    ['minimum set', integer, { ...integer, minimum: 0 }, narrows('property-min-set')],
    ['minimum removed', { ...integer, minimum: 0 }, integer, widens('property-min-unset')],
    [
      'exclusiveMinimum increased',
      { type: 'number', exclusiveMinimum: 1 },
      { type: 'number', exclusiveMinimum: 2 },
      narrows('property-exclusive-min-increased'),
    ],
    [
      'maximum made exclusive',
      { type: 'number', maximum: 1 },
      { type: 'number', exclusiveMaximum: 1 },
      narrows('property-exclusive-max-set'),
    ],
    ['maxLength set', text, { ...text, maxLength: 9 }, narrows('property-max-length-set')],
    ['maxLength removed', { ...text, maxLength: 9 }, text, widens('property-max-length-unset')],
    [
      'minLength decreased',
      { ...text, minLength: 2 },
      { ...text, minLength: 1 },
      widens('property-min-length-decreased'),
    ],
    [
      'maxItems decreased',
      { type: 'array', maxItems: 9 },
      { type: 'array', maxItems: 8 },
      narrows('property-max-items-decreased'),
    ],
    ['minItems removed', { type: 'array', minItems: 1 }, { type: 'array' }, widens('property-min-items-unset')],
    [
      'minProperties set',
      { type: 'object' },
      { type: 'object', minProperties: 1 },
      narrows('property-min-properties-set'),
    ],
    ['uniqueItems set', { type: 'array' }, { type: 'array', uniqueItems: true }, narrows('property-unique-items-set')],
    [
      'uniqueItems removed',
      { type: 'array', uniqueItems: true },
      { type: 'array' },
      widens('property-unique-items-unset'),
    ],
    [
      'multipleOf that does not divide the old one',
      { ...integer, multipleOf: 2 },
      { ...integer, multipleOf: 4 },
      narrows('property-multiple-of-changed'),
    ],
    ['a pattern added', text, { ...text, pattern: '^a' }, narrows('property-pattern-added')],
    ['a pattern removed', { ...text, pattern: '^a' }, text, widens('property-pattern-removed')],
    [
      'another pattern',
      { ...text, pattern: '^a' },
      { ...text, pattern: '^b' },
      found('WARN', 'WARN', 'property-pattern-changed'),
    ],
    [
      'another default',
      { ...text, default: 'a' },
      { ...text, default: 'b' },
      found('WARN', 'INFO', 'property-default-value-changed'),
    ],
    ['deprecated', text, { ...text, deprecated: true }, found('INFO', 'INFO', 'property-deprecated')],
    ['a keyword that is not analysed added', text, { ...text, not: { const: 'a' } }, narrows('property-not-added')],
    [
      'the names of properties',
      { type: 'object', propertyNames: { pattern: '^a' } },
      { type: 'object', propertyNames: { pattern: '^b' } },
      found('WARN', 'WARN', 'property-pattern-changed'),
    ],
    [
      'a keyword that is not analysed',
      { type: 'object', not: { required: ['a'] } },
      { type: 'object', not: { required: ['b'] } },
      found('WARN', 'WARN', 'property-not-changed'),
    ],
    [
      'a type that only seemed to be implied',
      { properties: { a: text } },
      { type: 'object', properties: { a: text } },
      {
        request: ['WARN request-property-type-changed'],
        response: ['INFO response-property-became-not-nullable'],
      },
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
  ])('%s', (_name, base, revision, want) => {
    expect(summarizeBoth(property(base), property(revision))).toEqual(want);
  });
});
