import type { Subject } from '../../src/rules/comparison.ts';
import { integer, text, type Fragment } from '@contract-first/testing/document.ts';

/**
 * A change of a schema: its aspect, the aspect of the reverse change, the schemas, and the subjects that it applies to,
 * by default all. An aspect with several levels is prefixed with a level. Without a reverse aspect, the reverse change
 * has no finding.
 */
export type SchemaChange = readonly [
  aspect: string,
  reverse: string | undefined,
  base: Fragment,
  revision: Fragment,
  subjects?: readonly Subject[],
];

/** The subjects that clients send. */
const REQUEST: readonly Subject[] = [
  'request-body',
  'request-property',
  'request-parameter',
  'request-parameter-property',
];
/** The subjects that clients receive. */
const RESPONSE: readonly Subject[] = ['response-body', 'response-property', 'response-header'];
/** The subjects with a rule for specialized types. */
const SPECIALIZED: readonly Subject[] = ['request-parameter-property', ...RESPONSE];
/** The subjects for which a specialized type is reported as changed. */
const CHANGED: readonly Subject[] = ['request-body', 'request-property', 'request-parameter'];
const PROPERTIES: readonly Subject[] = ['request-property', 'request-parameter-property', 'response-property'];

const boolean = { type: 'boolean' };
const number = { type: 'number' };
const array = { type: 'array' };
const object = { type: 'object' };
const tenth = { ...number, multipleOf: 0.1 };
const even = { ...number, multipleOf: 2 };
const a = { ...object, required: ['kind'], properties: { kind: { const: 'a' } } };
const b = { ...object, required: ['kind'], properties: { kind: { const: 'b' } } };
const c = { ...object, required: ['kind'], properties: { kind: { const: 'c' } } };
const short = { ...text, maxLength: 5 };
const lower = { ...text, pattern: '^[a-z]' };
const closed = { ...object, additionalProperties: false };
const withPattern = { patternProperties: { '^x': text } };
const pets = (mapping: Fragment, propertyName = 'kind'): Fragment => ({
  ...object,
  discriminator: { propertyName, mapping },
});

/** The target schemas of discriminators. */
export const COMPONENTS: Fragment = { schemas: { A: a, B: b } };

const TYPES: readonly SchemaChange[] = [
  ['ERR type-changed', 'ERR type-changed', boolean, integer],
  ['WARN type-changed', 'became-nullable', { required: ['a'] }, { ...object, required: ['a'] }, REQUEST],
  ['WARN type-changed', 'became-not-nullable', { ...object, required: ['a'] }, { required: ['a'] }, RESPONSE],
  ['type-generalized', 'ERR type-changed', integer, number, CHANGED],
  ['type-generalized', 'type-specialized', integer, number, SPECIALIZED],
  [
    'list-of-types-widened',
    'list-of-types-narrowed',
    { type: ['integer', 'boolean'] },
    { type: ['integer', 'boolean', 'object'] },
  ],
  ['became-nullable', 'became-not-nullable', text, { type: ['string', 'null'] }],
];

const VALUES: readonly SchemaChange[] = [
  ['became-enum', 'became-not-enum', text, { ...text, enum: ['a'] }],
  ['enum-value-added', 'enum-value-removed', { enum: ['a'] }, { enum: ['a', 'b'] }],
  ['const-added', 'const-removed', text, { ...text, const: 'a' }],
  ['const-changed', 'const-changed', { const: 'a' }, { const: 'b' }],
  ['default-value-added', 'default-value-removed', text, { ...text, default: 'a' }],
  ['default-value-changed', 'default-value-changed', { ...text, default: 'a' }, { ...text, default: 'b' }],
  ['multiple-of-set', 'multiple-of-unset', number, even],
  ['ERR multiple-of-changed', 'INFO multiple-of-changed', even, { ...number, multipleOf: 4 }, REQUEST],
  ['INFO multiple-of-changed', 'ERR multiple-of-changed', even, { ...number, multipleOf: 4 }, RESPONSE],
  ['ERR multiple-of-changed', 'ERR multiple-of-changed', even, { ...number, multipleOf: 3 }],
  ['ERR multiple-of-changed', 'INFO multiple-of-changed', tenth, { ...number, multipleOf: 0.3 }, REQUEST],
  ['pattern-added', 'pattern-removed', text, lower],
  ['pattern-changed', 'pattern-changed', lower, { ...text, pattern: '^[A-Z]' }],
  ['deprecated', 'reactivated', text, { ...text, deprecated: true }, PROPERTIES],
];

/** The limits that a change can set, remove, increase and decrease, with their schemas. */
const LIMITS: readonly SchemaChange[] = (
  [
    ['max', 'maximum', number],
    ['exclusive-max', 'exclusiveMaximum', number],
    ['min', 'minimum', number],
    ['exclusive-min', 'exclusiveMinimum', number],
    ['max-length', 'maxLength', text],
    ['min-length', 'minLength', text],
    ['max-items', 'maxItems', array],
    ['min-items', 'minItems', array],
    ['max-properties', 'maxProperties', object],
    ['min-properties', 'minProperties', object],
    ['max-contains', 'maxContains', { ...array, contains: text }],
  ] as const
).flatMap(([name, keyword, schema]) => [
  [`${name}-set`, `${name}-unset`, schema, { ...schema, [keyword]: 2 }],
  [`${name}-increased`, `${name}-decreased`, { ...schema, [keyword]: 2 }, { ...schema, [keyword]: 3 }],
]);

/** The keywords that a change can add, remove and change as a whole, with a schema and two values. */
const KEYWORDS: readonly SchemaChange[] = (
  [
    ['not', 'not', text, { const: 'a' }, { const: 'b' }],
    ['content-schema', 'contentSchema', text, boolean, integer],
    ['content-encoding', 'contentEncoding', text, 'base64', 'base16'],
    ['content-media-type', 'contentMediaType', text, 'text/csv', 'text/html'],
    ['dependent-schema', 'dependentSchemas', object, { a: { minProperties: 2 } }, { a: { maxProperties: 2 } }],
    ['unevaluated-items', 'unevaluatedItems', array, text, false],
  ] as const
).flatMap(([name, keyword, schema, one, other]) => [
  [`${name}-added`, `${name}-removed`, schema, { ...schema, [keyword]: one }],
  [`${name}-changed`, `${name}-changed`, { ...schema, [keyword]: one }, { ...schema, [keyword]: other }],
]);

const PARTS: readonly SchemaChange[] = [
  [
    'unevaluated-items-changed',
    'unevaluated-items-changed',
    { type: 'array', unevaluatedItems: false },
    { type: 'array', unevaluatedItems: false, items: {} },
  ],
  ['if-added', 'if-removed', text, { ...text, if: short, then: lower }],
  ['if-changed', 'if-changed', { ...text, if: short, then: lower }, { ...text, if: lower, then: short }],
  ['unique-items-set', 'unique-items-unset', array, { ...array, uniqueItems: true }],
  ['contains-added', 'contains-removed', array, { ...array, contains: text }],
  [
    'contains-changed',
    'contains-changed',
    { ...array, contains: text, maxContains: 2 },
    { ...array, contains: integer, maxContains: 2 },
  ],
  [
    'min-contains-increased',
    'min-contains-decreased',
    { ...array, contains: text },
    { ...array, contains: text, minContains: 2 },
  ],
  ['dependent-required-added', 'dependent-required-removed', object, { ...object, dependentRequired: { a: ['b'] } }],
  ['property-names-added', 'property-names-removed', object, { ...object, propertyNames: lower }],
];

const OBJECTS: readonly SchemaChange[] = [
  ['additional-properties-opened', 'additional-properties-closed', closed, object],
  ['ERR pattern-property-added', 'INFO pattern-property-removed', object, { ...object, ...withPattern }, REQUEST],
  ['INFO pattern-property-added', 'ERR pattern-property-removed', closed, { ...closed, ...withPattern }, REQUEST],
  ['INFO pattern-property-added', 'ERR pattern-property-removed', object, { ...object, ...withPattern }, RESPONSE],
  ['WARN pattern-property-added', 'INFO pattern-property-removed', closed, { ...closed, ...withPattern }, RESPONSE],
  [
    'discriminator-property-name-changed',
    'discriminator-property-name-changed',
    pets({ a: 'A' }),
    pets({ a: 'A' }, 'type'),
  ],
  ['discriminator-mapping-deleted', undefined, pets({ a: 'A', b: 'B' }), pets({ a: 'A' }), REQUEST],
  [
    'discriminator-mapping-deleted',
    'discriminator-mapping-added',
    pets({ a: 'A', b: 'B' }),
    pets({ a: 'A' }),
    RESPONSE,
  ],
];

const CHOICES: readonly SchemaChange[] = [
  ['one-of-added', 'one-of-removed', { oneOf: [a, b] }, { oneOf: [a, b, c] }],
  ['any-of-added', 'any-of-removed', { anyOf: [a, b] }, { anyOf: [a, b, c] }],
  ['one-of-overlap-changed', undefined, { anyOf: [short, lower] }, { oneOf: [short, lower] }, REQUEST],
  ['one-of-overlap-changed', undefined, { oneOf: [short, lower] }, { anyOf: [short, lower] }, RESPONSE],
  ['wrapped-in-one-of', undefined, { ...text, format: 'date' }, { oneOf: [{ ...text, format: 'uuid' }, object] }],
  ['choices-changed', 'choices-changed', { oneOf: [a, b] }, { oneOf: [a, b], anyOf: [a, b] }],
];

/** Changes that cover every rule about schemas, at every level. */
export const SCHEMA_CHANGES: readonly SchemaChange[] = [
  ...TYPES,
  ...VALUES,
  ...LIMITS,
  ...KEYWORDS,
  ...PARTS,
  ...OBJECTS,
  ...CHOICES,
];
