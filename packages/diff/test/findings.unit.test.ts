import type { OpenApiDocument } from '@contract-first/documents';
import {
  body,
  compare,
  documentWith,
  get,
  integer,
  ok,
  operationWith,
  property,
  query,
  requestWith,
  responseWith,
  summarize,
  text,
  type Fragment,
} from '@contract-first/testing/document.ts';

const schemas = (components: Fragment): Fragment => ({ components: { schemas: components } });
const thing = { type: 'object', required: ['name'], properties: { name: text, size: integer } };
const reordered = { properties: { size: integer, name: text }, required: ['name'], type: 'object' };
const named = { $ref: '#/components/schemas/Thing' };
const tree = (leaf: unknown): Fragment => ({
  type: 'object',
  properties: { leaf, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
});
const byId = (name: string): OpenApiDocument =>
  documentWith({
    [`/a/{${name}}`]: { get: get({ parameters: [{ name, in: 'path', required: true, schema: text }] }) },
  });

test.each<readonly [string, unknown, unknown, Fragment?, Fragment?]>([
  ['identical schemas', thing, thing],
  ['reordered members', thing, reordered],
  [
    'other words',
    { ...thing, description: 'A', title: 'B', examples: [1] },
    { ...thing, description: 'C', externalDocs: { url: 'https://a.test' } },
  ],
  ['an inlined reference', named, thing, schemas({ Thing: thing })],
  [
    'a reference to another name',
    named,
    { $ref: '#/components/schemas/Item' },
    schemas({ Thing: thing }),
    schemas({ Item: thing }),
  ],
  [
    'a reference through another',
    named,
    { $ref: '#/components/schemas/A' },
    schemas({ Thing: thing }),
    schemas({ A: named, Thing: thing }),
  ],
  [
    'words beside a reference',
    named,
    { ...named, description: 'A' },
    schemas({ Thing: thing }),
    schemas({ Thing: thing }),
  ],
  [
    'an allOf that says the same',
    thing,
    {
      allOf: [
        { type: 'object', properties: { size: integer } },
        { properties: { name: text }, required: ['name'] },
      ],
    },
  ],
  ['an allOf of one', { allOf: [thing] }, thing],
  ['the same bound twice', { ...text, maxLength: 5 }, { allOf: [{ ...text, maxLength: 5 }, { maxLength: 7 }] }],
  ['a oneOf of one', { oneOf: [thing] }, thing],
  ['alternatives reordered', { oneOf: [text, thing] }, { oneOf: [reordered, text] }],
  [
    'choices reordered',
    { allOf: [{ oneOf: [text, thing] }, { oneOf: [thing, integer] }] },
    { allOf: [{ oneOf: [thing, integer] }, { oneOf: [text, thing] }] },
  ],
  [
    'alternatives inside alternatives',
    { oneOf: [text, { oneOf: [integer, thing] }] },
    { oneOf: [thing, text, integer] },
  ],
  ['types as alternatives', { type: ['string', 'integer'] }, { oneOf: [integer, text] }],
  ['null as a constant', { const: null }, { type: 'null' }],
  ['null in another way', { type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, text] }],
  [
    'null in a list of types, a component, an allOf and a oneOf',
    { properties: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { type: ['string', 'null'] }])) },
    {
      properties: {
        a: { anyOf: [{ type: ['null'] }, text] },
        b: { anyOf: [{ $ref: '#/components/schemas/Null' }, text] },
        c: { anyOf: [{ allOf: [{ type: 'null' }] }, text] },
        d: { anyOf: [{ oneOf: [{ type: 'null' }], deprecated: false }, text] },
      },
    },
    {},
    schemas({ Null: { type: 'null' } }),
  ],
  [
    'a property of an object that may be null',
    { type: ['object', 'null'], properties: { name: text } },
    { anyOf: [{ type: 'object', properties: { name: { type: ['string'] } } }, { type: 'null' }] },
  ],
  [
    'values as alternatives',
    { ...text, enum: ['a', 'b'] },
    {
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', description: 'B' },
      ],
    },
  ],
  [
    'values as alternatives, and null',
    { type: ['string', 'null'], enum: ['a', 'b', 'c', null] },
    { anyOf: [{ ...text, enum: ['a', 'b'] }, { enum: ['b', 'c'] }, { type: 'null' }] },
  ],
  ['values reordered', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }],
  ['an enum of one instead of a const', { const: 'a' }, { enum: ['a'] }],
  ['a type that the values imply', { enum: ['a'] }, { type: 'string', enum: ['a'] }],
  ['a minimum of no characters', text, { ...text, minLength: 0 }],
  ['exclusive bounds of integers', { ...integer, minimum: 1 }, { ...integer, exclusiveMinimum: 0 }],
  ['additionalProperties: true', thing, { ...thing, additionalProperties: true }],
  ['a keyword that is not analysed', { not: named }, { not: reordered }, schemas({ Thing: thing })],
  [
    'a schema that contains itself',
    { $ref: '#/components/schemas/Tree' },
    { $ref: '#/components/schemas/Tree' },
    schemas({ Tree: tree(text) }),
    schemas({ Tree: tree(text) }),
  ],
])('nothing is reported for %s', (_name, base, revision, components = {}, newer = {}) => {
  expect(summarize(requestWith(base, components), requestWith(revision, newer))).toEqual([]);
  expect(summarize(responseWith(base, components), responseWith(revision, newer))).toEqual([]);
});

const alternatives = ['A', 'B'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
test.each<readonly [string, OpenApiDocument, OpenApiDocument]>([
  [
    'a discriminator added to a response',
    responseWith({ oneOf: alternatives }, schemas({ A: thing, B: thing })),
    responseWith({ oneOf: alternatives, discriminator: { propertyName: 'name' } }, schemas({ A: thing, B: thing })),
  ],
  ['a renamed path parameter', byId('id'), byId('key')],
  [
    'reordered paths',
    documentWith({ '/a': { get: get() }, '/b': {} }),
    documentWith({ '/b': {}, '/a': { get: get() } }),
  ],
  ['other words', operationWith({ summary: 'A', tags: ['a'] }), operationWith({ description: 'B' })],
  [
    'a parameter moved to the path',
    documentWith({ '/a': { get: get({ parameters: [query()] }) } }),
    documentWith({ '/a': { parameters: [query()], get: get() } }),
  ],
  [
    'references to a parameter, a body and a response',
    operationWith({ parameters: [query()], requestBody: body(), responses: { '200': ok } }),
    operationWith(
      {
        parameters: [{ $ref: '#/components/parameters/q' }],
        requestBody: { $ref: '#/components/requestBodies/b' },
        responses: { '200': { $ref: '#/components/responses/r' } },
      },
      { components: { parameters: { q: query() }, requestBodies: { b: body() }, responses: { r: ok } } },
    ),
  ],
  [
    'nullable in OpenAPI 3.0 and null in 3.1',
    responseWith({ type: 'string', nullable: true }, { openapi: '3.0.3' }),
    responseWith({ type: ['string', 'null'] }),
  ],
  [
    'nullable without a null in enum',
    responseWith({ type: 'string', nullable: true, enum: ['a'] }, { openapi: '3.0.3' }),
    responseWith({ type: ['string', 'null'], enum: ['a'] }),
  ],
  [
    'exclusiveMaximum in OpenAPI 3.0 and in 3.1',
    requestWith({ type: 'number', maximum: 5, exclusiveMaximum: true }, { openapi: '3.0.3' }),
    requestWith({ type: 'number', exclusiveMaximum: 5 }),
  ],
  [
    'a value beyond exclusiveMaximum in OpenAPI 3.0 and in 3.1',
    requestWith({ ...integer, maximum: 5, exclusiveMaximum: true, enum: [4, 5] }, { openapi: '3.0.3' }),
    requestWith({ ...integer, exclusiveMaximum: 5, enum: [4, 5] }),
  ],
  [
    'keywords beside a reference in OpenAPI 3.0',
    requestWith(named, { openapi: '3.0.3', ...schemas({ Thing: text }) }),
    requestWith({ ...named, maxLength: 5 }, { openapi: '3.0.3', ...schemas({ Thing: text }) }),
  ],
])('nothing is reported for %s', (_name, base, revision) => {
  expect(compare(base, revision)).toEqual([]);
});

const level = 'ERR';
const operation = 'POST /things';

test('a finding points to the changed component in the revision, and names its use', () => {
  const documentOf = (name: unknown) => requestWith(named, schemas({ Thing: property(name) }));
  const revision = documentOf(integer);
  expect(compare(documentOf(text), revision)).toEqual([
    {
      rule: 'request-property-type-changed',
      level,
      document: revision,
      pointer: '/components/schemas/Thing/properties/p',
      operation,
      name: 'request body/p',
      change: 'type string became integer',
    },
  ]);
});

test('a finding points to the base if the place is missing in the revision', () => {
  const base = responseWith(thing);
  expect(compare(base, responseWith(property(text)))).toContainEqual({
    rule: 'response-required-property-removed',
    level,
    document: base,
    pointer: '/paths/~1things/post/responses/200/content/application~1json/schema/properties/name',
    operation,
    name: 'response 200 body',
    change: 'property name was removed',
  });
});

test('a finding inside a recursive schema is reported once', () => {
  const documentOf = (leaf: unknown) =>
    requestWith({ $ref: '#/components/schemas/Tree' }, schemas({ Tree: tree(leaf) }));
  expect(summarize(documentOf(text), documentOf(integer))).toEqual(['ERR request-property-type-changed']);
});

test('a finding inside alternatives that contain each other is reported once', () => {
  const documentOf = (leaf: unknown) => {
    const members = [
      { $ref: '#/components/schemas/List' },
      { type: 'object', required: ['leaf'], properties: { leaf } },
    ];
    return responseWith(
      { $ref: '#/components/schemas/Node' },
      schemas({ Node: { oneOf: members }, List: { type: 'array', items: { $ref: '#/components/schemas/Node' } } }),
    );
  };
  expect(summarize(documentOf(text), documentOf(integer))).toEqual(['ERR response-property-type-changed']);
});

test('findings are sorted by severity, independent of the order in the documents', () => {
  const before = documentWith({ '/a': { get: get() }, '/b': { get: get() } });
  const swapped = documentWith({ '/b': { get: get() }, '/a': { get: get() } });
  const after = documentWith({ '/c': { get: get() } });
  expect(compare(before, after)).toEqual(compare(swapped, after));
  expect(compare(before, after).map(({ level, operation }) => `${level} ${operation ?? ''}`)).toEqual([
    'ERR GET /a',
    'ERR GET /b',
    'INFO GET /c',
  ]);
});
