import { integer, property, text } from '@contract-first/testing/document.ts';
import {
  breaks,
  narrows,
  NOTHING,
  summarizeBoth,
  widens,
  type Findings,
  type SchemaRow,
} from './support/schema-findings.ts';

const SPECIALIZED: Findings = {
  request: ['ERR request-property-type-changed'],
  response: ['INFO response-property-type-specialized'],
};
const page = { ...integer, minimum: 1, maximum: 1000 };
const int32 = { ...integer, format: 'int32' };
const int64 = { ...integer, format: 'int64' };

test.each<SchemaRow>([
  [
    'int64 beside its largest value added',
    { ...integer, minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
    int64,
    NOTHING,
  ],
  [
    'int64 beside a larger maximum',
    { ...int64, maximum: 2n ** 63n },
    { ...int64, maximum: 2n ** 63n - 2n },
    narrows('property-max-set'),
  ],
  ['one that includes the limits added', page, { ...page, format: 'int64' }, NOTHING],
  ['one that includes the limits removed', { ...page, format: 'int32' }, page, NOTHING],
  ['a narrower one that includes the limits', { ...page, format: 'int64' }, { ...page, format: 'int16' }, NOTHING],
  [
    'one that includes exclusive limits',
    { ...integer, exclusiveMinimum: -1, exclusiveMaximum: 256 },
    { ...integer, format: 'uint8', exclusiveMaximum: 300 },
    NOTHING,
  ],
  ['one that includes all listed values', { enum: [1, 2] }, { ...int32, enum: [1, 2] }, NOTHING],
  [
    'one that includes the limits, beside null',
    { ...page, type: ['integer', 'null'] },
    { ...page, type: ['integer', 'null'], format: 'int32' },
    NOTHING,
  ],
  ['one without limits added', integer, int64, SPECIALIZED],
  ['one with one limit added', { ...integer, minimum: 0 }, { ...int64, minimum: 0 }, SPECIALIZED],
  ['a wider one', int32, int64, widens('property-type-generalized')],
  [
    'one with other negative and positive values',
    int32,
    { ...integer, format: 'uint32' },
    breaks('property-type-changed'),
  ],
  ['a format that is not a range', int32, { ...integer, format: 'port' }, breaks('property-type-changed')],
  ['a limit inside of it set', int32, { ...int32, maximum: 9 }, narrows('property-max-set')],
  ['a limit inside of it removed', { ...int32, maximum: 9 }, int32, widens('property-max-unset')],
  ['a limit outside of it removed', { ...int32, maximum: 5e9 }, int32, NOTHING],
  [
    'one that excludes the limit',
    { ...int64, minimum: 0, maximum: 5e9 },
    { ...int32, minimum: 0, maximum: 5e9 },
    narrows('property-max-decreased'),
  ],
  [
    'one of a number that need not be an integer',
    { ...page, type: 'number' },
    { ...page, type: 'number', format: 'int32' },
    SPECIALIZED,
  ],
])('the format of an integer is a range: %s', (_name, base, revision, want) => {
  expect(summarizeBoth(property(base), property(revision))).toEqual(want);
});

test.each<SchemaRow>([
  ['double', { type: 'number' }, { type: 'number', format: 'double' }, NOTHING],
  ['password', { ...text, format: 'password' }, text, NOTHING],
  [
    'float to double',
    { type: 'number', format: 'float' },
    { type: 'number', format: 'double' },
    widens('property-type-generalized'),
  ],
])('a format that excludes no value: %s', (_name, base, revision, want) => {
  expect(summarizeBoth(property(base), property(revision))).toEqual(want);
});

const letters = { ...text, enum: ['a', 'b'] };
test.each<SchemaRow>([
  ['a pattern', { ...letters, pattern: '(?i)a' }, { ...letters, enum: ['a'] }, narrows('property-enum-value-removed')],
  ['a limit', { ...integer, enum: [1, 2], maximum: '1' }, { ...integer, enum: [1, 2] }, NOTHING],
  ['required', { type: 'object', required: true }, { type: 'object' }, NOTHING],
])('keywords with values that no validator can read are ignored: %s', (_name, base, revision, want) => {
  expect(summarizeBoth(property(base), property(revision))).toEqual(want);
});
