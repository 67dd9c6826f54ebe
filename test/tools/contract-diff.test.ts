import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../scripts/contract/load.ts';
import { temporaryFolder } from '../support/app.ts';
import {
  compare,
  documentWith,
  headersWith,
  operationWith,
  parametersWith,
  property,
  requestWith,
  responseWith,
  summarize,
  type Fragment,
} from '../support/document.ts';
import { ROOT, run } from '../support/service.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };

const query = (rest: Fragment = {}): Fragment => ({ name: 'q', in: 'query', schema: text, ...rest });
const body = (rest: Fragment = {}): Fragment => ({ content: { 'application/json': {} }, ...rest });
const answers = (responses: Fragment): OpenApiDocument => operationWith({ responses });
const ok = { description: 'Done.' };
const json = (schema: unknown): Fragment => ({ ...ok, content: { 'application/json': { schema } } });
const get = (rest: Fragment = {}): Fragment => ({ operationId: 'read', responses: { '200': ok }, ...rest });

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  oauth: { type: 'oauth2', flows: {} },
};
const secured = (security: readonly Fragment[], securitySchemes: Fragment = SCHEMES): OpenApiDocument =>
  operationWith({ security }, { components: { securitySchemes } });
const served = (...urls: readonly string[]): OpenApiDocument =>
  operationWith({}, { servers: urls.map((url) => ({ url })) });

describe('operations:', () => {
  test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
    [
      'a path removed',
      [documentWith({ '/a': { get: get() } }), documentWith({})],
      ['ERR api-path-removed-without-deprecation'],
    ],
    [
      'an operation removed',
      [
        documentWith({ '/a': { get: get(), put: get({ operationId: 'write' }) } }),
        documentWith({ '/a': { get: get() } }),
      ],
      ['ERR api-removed-without-deprecation'],
    ],
    ['an operation added', [documentWith({}), documentWith({ '/a': { get: get() } })], ['INFO endpoint-added']],
    [
      'a deprecated path removed',
      [documentWith({ '/a': { get: get({ deprecated: true }) } }), documentWith({})],
      ['INFO api-path-removed-with-deprecation'],
    ],
    [
      'removed after its sunset',
      [documentWith({ '/a': { get: get({ deprecated: true, 'x-sunset': '2026-06-15' }) } }), documentWith({})],
      ['INFO api-path-removed-with-deprecation'],
    ],
    [
      'removed before its sunset',
      [documentWith({ '/a': { get: get({ deprecated: true, 'x-sunset': '2026-06-16' }) } }), documentWith({})],
      ['ERR api-path-removed-before-sunset'],
    ],
    ['deprecated', [operationWith({}), operationWith({ deprecated: true })], ['INFO endpoint-deprecated']],
    [
      'deprecated with a sunset',
      [operationWith({}), operationWith({ deprecated: true, 'x-sunset': '2027-01-01' })],
      ['INFO endpoint-deprecated-with-sunset'],
    ],
    ['no longer deprecated', [operationWith({ deprecated: true }), operationWith({})], ['INFO endpoint-reactivated']],
    [
      'an earlier sunset',
      [
        operationWith({ deprecated: true, 'x-sunset': '2027-01-01' }),
        operationWith({ deprecated: true, 'x-sunset': '2026-12-31' }),
      ],
      ['ERR api-sunset-date-changed-too-small'],
    ],
    [
      'a sunset removed',
      [operationWith({ deprecated: true, 'x-sunset': '2027-01-01' }), operationWith({ deprecated: true })],
      ['ERR sunset-deleted'],
    ],
    [
      'another operationId',
      [operationWith({}), operationWith({ operationId: 'add' })],
      ['INFO api-operation-id-removed'],
    ],
    [
      'webhooks',
      [documentWith({}, { webhooks: { a: {}, b: {} } }), documentWith({}, { webhooks: { b: {}, c: {} } })],
      ['ERR webhook-removed', 'INFO webhook-added'],
    ],
    [
      'a parameter of the same place in the path has another type',
      [
        documentWith({
          '/a/{id}': { get: get({ parameters: [{ name: 'id', in: 'path', required: true, schema: text }] }) },
        }),
        documentWith({
          '/a/{key}': { get: get({ parameters: [{ name: 'key', in: 'path', required: true, schema: integer }] }) },
        }),
      ],
      ['ERR request-parameter-type-changed'],
    ],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(base, revision)).toEqual(want);
  });
});

describe('parameters:', () => {
  test.each<readonly [string, readonly [readonly Fragment[], readonly Fragment[]], readonly string[]]>([
    ['a required one added', [[], [query({ required: true })]], ['ERR new-required-request-parameter']],
    ['an optional one added', [[], [query()]], ['INFO new-optional-request-parameter']],
    ['removed', [[query()], []], ['WARN request-parameter-removed']],
    [
      'removed after deprecation',
      [[query({ deprecated: true })], []],
      ['INFO request-parameter-removed-with-deprecation'],
    ],
    ['became required', [[query()], [query({ required: true })]], ['ERR request-parameter-became-required']],
    ['became optional', [[query({ required: true })], [query()]], ['INFO request-parameter-became-optional']],
    ['deprecated', [[query()], [query({ deprecated: true })]], ['INFO request-parameter-deprecated']],
    [
      'moved from the query to a header',
      [[query()], [query({ in: 'header' })]],
      ['INFO new-optional-request-parameter', 'WARN request-parameter-removed'],
    ],
    ['narrowed', [[query()], [query({ schema: { ...text, maxLength: 5 } })]], ['ERR request-parameter-max-length-set']],
    [
      'maximum decreased',
      [[query({ schema: { ...integer, maximum: 9 } })], [query({ schema: { ...integer, maximum: 8 } })]],
      ['ERR request-parameter-max-decreased'],
    ],
    [
      'a value of an enum removed',
      [[query({ schema: { enum: ['a', 'b'] } })], [query({ schema: { enum: ['b'] } })]],
      ['ERR request-parameter-enum-value-removed'],
    ],
    [
      'from integer to string, which has the same format',
      [[query({ schema: integer })], [query()]],
      ['INFO request-parameter-type-generalized'],
    ],
    ['from string to integer', [[query()], [query({ schema: integer })]], ['ERR request-parameter-type-changed']],
    [
      'a property of an object narrowed',
      [[query({ schema: property({ type: 'number' }) })], [query({ schema: property(integer) })]],
      ['ERR request-parameter-property-type-specialized'],
    ],
    [
      'a default added',
      [[query()], [query({ schema: { ...text, default: 'a' } })]],
      ['WARN request-parameter-default-value-added'],
    ],
    [
      'written in another style',
      [[query({ schema: { type: 'array' } })], [query({ schema: { type: 'array' }, style: 'pipeDelimited' })]],
      ['ERR request-parameter-style-changed'],
    ],
    [
      'no longer exploded',
      [[query({ schema: { type: 'array' } })], [query({ schema: { type: 'array' }, explode: false })]],
      ['ERR request-parameter-explode-changed'],
    ],
    ['explode of a single value', [[query()], [query({ explode: false })]], []],
    ['a header in other letters', [[query({ in: 'header', name: 'X-A' })], [query({ in: 'header', name: 'x-a' })]], []],
    ['a header that OpenAPI ignores', [[], [query({ in: 'header', name: 'Accept', required: true })]], []],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(parametersWith(...base), parametersWith(...revision))).toEqual(want);
  });
});

describe('request bodies:', () => {
  test.each<readonly [string, readonly [Fragment | undefined, Fragment | undefined], readonly string[]]>([
    ['a required one added', [undefined, body({ required: true })], ['ERR request-body-added-required']],
    ['an optional one added', [undefined, body()], ['INFO request-body-added-optional']],
    ['removed', [body(), undefined], ['ERR request-body-removed']],
    ['became required', [body(), body({ required: true })], ['ERR request-body-became-required']],
    ['became optional', [body({ required: true }), body()], ['INFO request-body-became-optional']],
    [
      'a media type removed',
      [body({ content: { 'application/json': {}, 'text/csv': {} } }), body()],
      ['ERR request-body-media-type-removed'],
    ],
    [
      'a media type added',
      [body(), body({ content: { 'application/json': {}, 'text/csv': {} } })],
      ['INFO request-body-media-type-added'],
    ],
    [
      'a range instead of a media type',
      [body(), body({ content: { 'application/*': {} } })],
      ['INFO request-body-media-type-name-generalized'],
    ],
  ])('%s', (_name, [base, revision], want) => {
    const documentOf = (requestBody: Fragment | undefined) => operationWith(requestBody ? { requestBody } : {});
    expect(summarize(documentOf(base), documentOf(revision))).toEqual(want);
  });
});

describe('responses:', () => {
  test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
    [
      'a success removed',
      [answers({ '200': ok, '201': ok }), answers({ '200': ok })],
      ['ERR response-success-status-removed'],
    ],
    [
      'a success added',
      [answers({ '200': ok }), answers({ '200': ok, '201': ok })],
      ['INFO response-success-status-added'],
    ],
    [
      'a failure removed',
      [answers({ '200': ok, '404': ok }), answers({ '200': ok })],
      ['INFO response-non-success-status-removed'],
    ],
    [
      'a failure added',
      [answers({ '200': ok }), answers({ '200': ok, '404': ok })],
      ['INFO response-non-success-status-added'],
    ],
    ['a status became part of a range', [answers({ '200': json(text) }), answers({ '2XX': json(text) })], []],
    [
      'a range has another body than its status had',
      [answers({ '200': json(text) }), answers({ '2XX': json(integer) })],
      ['ERR response-body-type-changed'],
    ],
    [
      'a failure looks different from default, which it was part of',
      [answers({ default: json(text) }), answers({ default: json(text), '404': json(integer) })],
      ['ERR response-body-type-changed', 'INFO response-non-success-status-added'],
    ],
    [
      'a media type removed',
      [
        answers({ '200': { ...ok, content: { 'application/json': {}, 'text/csv': {} } } }),
        answers({ '200': { ...ok, content: { 'application/json': {} } } }),
      ],
      ['ERR response-media-type-removed'],
    ],
    [
      'a media type added',
      [answers({ '200': ok }), answers({ '200': { ...ok, content: { 'text/csv': {} } } })],
      ['INFO response-media-type-added'],
    ],
    [
      'a range instead of a media type',
      [
        answers({ '200': { ...ok, content: { 'text/csv': {} } } }),
        answers({ '200': { ...ok, content: { 'text/*': {} } } }),
      ],
      ['ERR response-media-type-name-generalized'],
    ],
    [
      'a required header removed',
      [headersWith({ 'X-A': { required: true, schema: text } }), headersWith({})],
      ['ERR required-response-header-removed'],
    ],
    [
      'an optional header removed',
      [headersWith({ 'X-A': { schema: text } }), headersWith({})],
      ['WARN optional-response-header-removed'],
    ],
    ['a header added', [headersWith({}), headersWith({ 'X-A': { schema: text } })], ['INFO response-header-added']],
    [
      'a header became optional',
      [headersWith({ 'X-A': { required: true, schema: text } }), headersWith({ 'X-A': { schema: text } })],
      ['ERR response-header-became-optional'],
    ],
    [
      'another type of a header',
      [headersWith({ 'X-A': { schema: integer } }), headersWith({ 'x-a': { schema: text } })],
      ['ERR response-header-type-generalized'],
    ],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(base, revision)).toEqual(want);
  });
});

describe('security and servers:', () => {
  test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
    ['authentication added', [secured([]), secured([{ bearer: [] }])], ['ERR api-security-added']],
    [
      'authentication added for the whole document',
      [
        operationWith({}, { security: [] }),
        operationWith({}, { security: [{ bearer: [] }], components: { securitySchemes: SCHEMES } }),
      ],
      ['ERR api-security-added'],
    ],
    ['authentication removed', [secured([{ bearer: [] }]), secured([])], ['INFO api-security-removed']],
    [
      'an alternative scheme added',
      [secured([{ bearer: [] }]), secured([{ bearer: [] }, { key: [] }])],
      ['INFO api-security-added'],
    ],
    [
      'an alternative scheme removed',
      [secured([{ bearer: [] }, { key: [] }]), secured([{ key: [] }])],
      ['ERR api-security-removed'],
    ],
    [
      'a second scheme beside the first',
      [secured([{ bearer: [] }]), secured([{ bearer: [], key: [] }])],
      ['ERR api-security-removed'],
    ],
    [
      'one of two schemes is enough',
      [secured([{ bearer: [], key: [] }]), secured([{ key: [] }])],
      ['INFO api-security-added'],
    ],
    ['anonymous clients shut out', [secured([{}, { key: [] }]), secured([{ key: [] }])], ['ERR api-security-added']],
    ['a scope more', [secured([{ oauth: ['a'] }]), secured([{ oauth: ['a', 'b'] }])], ['ERR api-security-scope-added']],
    [
      'a scope fewer',
      [secured([{ oauth: ['a', 'b'] }]), secured([{ oauth: ['a'] }])],
      ['INFO api-security-scope-removed'],
    ],
    [
      'another kind of scheme by the same name',
      [secured([{ key: [] }]), secured([{ key: [] }], { key: { type: 'apiKey', in: 'header', name: 'X-Token' } })],
      ['ERR api-security-component-type-changed'],
    ],
    [
      'another name for the same scheme',
      [secured([{ key: [] }]), secured([{ token: [] }], { token: SCHEMES.key })],
      [],
    ],
    ['ways in reordered', [secured([{ bearer: [] }, { key: [] }]), secured([{ key: [] }, { bearer: [] }])], []],
    [
      'a server added',
      [served('https://a.test/v1'), served('https://a.test/v1', 'https://b.test/v1')],
      ['INFO api-server-added'],
    ],
    [
      'the same base path elsewhere',
      [served('https://a.test/v1'), served('https://b.test/v1/')],
      ['INFO api-server-added', 'WARN api-server-removed'],
    ],
    [
      'another base path',
      [served('https://a.test/v1'), served('https://a.test/v2')],
      ['ERR api-base-path-changed', 'INFO api-server-added'],
    ],
    [
      'a server variable replaced by its default',
      [
        operationWith({}, { servers: [{ url: '{base}', variables: { base: { default: 'http://a.test' } } }] }),
        operationWith({}, { servers: [{ url: 'http://a.test' }] }),
      ],
      [],
    ],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(base, revision)).toEqual(want);
  });
});

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

describe('nothing is reported for', () => {
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
      'alternatives inside alternatives',
      { oneOf: [text, { oneOf: [integer, thing] }] },
      { oneOf: [thing, text, integer] },
    ],
    ['types as alternatives', { type: ['string', 'integer'] }, { oneOf: [integer, text] }],
    ['null in another way', { type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, text] }],
    ['values reordered', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }],
    ['an enum of one instead of a const', { const: 'a' }, { enum: ['a'] }],
    ['a type that was implied', { properties: { name: text } }, { type: 'object', properties: { name: text } }],
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
  ])('%s', (_name, base, revision, components = {}, newer = {}) => {
    expect(summarize(requestWith(base, components), requestWith(revision, newer))).toEqual([]);
    expect(summarize(responseWith(base, components), responseWith(revision, newer))).toEqual([]);
  });

  test.each<readonly [string, OpenApiDocument, OpenApiDocument]>([
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
      'exclusiveMaximum in OpenAPI 3.0 and in 3.1',
      requestWith({ type: 'number', maximum: 5, exclusiveMaximum: true }, { openapi: '3.0.3' }),
      requestWith({ type: 'number', exclusiveMaximum: 5 }),
    ],
    [
      'keywords beside a reference in OpenAPI 3.0',
      requestWith(named, { openapi: '3.0.3', ...schemas({ Thing: text }) }),
      requestWith({ ...named, maxLength: 5 }, { openapi: '3.0.3', ...schemas({ Thing: text }) }),
    ],
  ])('%s', (_name, base, revision) => {
    expect(compare(base, revision)).toEqual([]);
  });
});

describe('a finding', () => {
  const level = 'ERR';
  const operation = 'POST /things';

  test('points to the changed component in the newer document, and says where it is used', () => {
    const documentOf = (name: unknown) => requestWith(named, schemas({ Thing: property(name) }));
    expect(compare(documentOf(text), documentOf(integer))).toEqual([
      {
        rule: 'request-property-type-changed',
        level,
        pointer: '/components/schemas/Thing/properties/p',
        operation,
        message: 'request body/p: type string became integer',
      },
    ]);
  });

  test('points into the base when the newer document lacks the place', () => {
    expect(compare(responseWith(thing), responseWith(property(text)))).toContainEqual({
      rule: 'response-required-property-removed',
      level,
      pointer: '/paths/~1things/post/responses/200/content/application~1json/schema/properties/name',
      operation,
      message: 'response 200 body: property name was removed',
    });
  });

  test('inside a schema that contains itself is reported once', () => {
    const documentOf = (leaf: unknown) =>
      requestWith({ $ref: '#/components/schemas/Tree' }, schemas({ Tree: tree(leaf) }));
    expect(summarize(documentOf(text), documentOf(integer))).toEqual(['ERR request-property-type-changed']);
  });

  test('inside alternatives that contain each other is reported once', () => {
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

  test('has a stable order, worst first, independent of the order of the documents', () => {
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
});

describe('npm run contract:diff', () => {
  const CONTRACT = `
openapi: 3.1.0
info:
  title: Plants
  version: 1.0.0
security: []
paths:
  /plants:
    post:
      operationId: createPlant
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPlant' } } }
      responses:
        '200':
          description: The plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
        '400':
          description: Not a plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
        default:
          description: Any other failure.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
components:
  schemas:
    Plant:
      type: object
      required: [name]
      properties:
        name: { type: string }
        tag: { type: string }
    NewPlant:
      allOf:
        - $ref: '#/components/schemas/Plant'
        - type: object
          required: [id]
          properties:
            id: { type: integer, format: int64 }
    Error:
      type: object
      required: [error, message]
      properties:
        error: { type: integer, format: int32 }
        message: { type: string }
`;
  const RENAMED = CONTRACT.replaceAll('tag:', 'label:');
  let project: string;
  beforeEach(() => {
    project = temporaryFolder();
    write('openapi.yaml', CONTRACT);
  });
  const write = (name: string, content: string): void => {
    writeFileSync(join(project, name), content);
  };
  const diff = (...args: string[]) => run('node', [join(ROOT, 'scripts/contract-diff.ts'), ...args], {}, project);
  const git = async (...args: string[]): Promise<void> => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    expect(await run('git', [...identity, ...args], {}, project)).toMatchObject({ code: 0 });
  };
  const commit = async (message: string): Promise<void> => {
    await git('add', '.');
    await git('commit', '--quiet', '--message', message);
  };

  test('0 and no findings for a document compared with itself', async () => {
    write('base.yaml', CONTRACT);
    expect(await diff('--base', 'base.yaml')).toEqual({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 notes\n',
      stderr: '',
    });
    expect(await diff('--base', 'base.yaml', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('1 and aligned lines, worst first and without colours, when something breaks', async () => {
    write('base.yaml', CONTRACT);
    write('openapi.yaml', RENAMED.replace('required: [name]', 'required: [name, label]'));
    const { code, stdout, stderr } = await diff('--base', 'base.yaml');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'ERR   new-required-request-property       POST /plants  request body: property label was added, required (/components/schemas/Plant/properties/label)',
      'WARN  request-property-removed            POST /plants  request body: property tag was removed (/components/schemas/Plant/properties/tag)',
      'WARN  response-optional-property-removed  POST /plants  response 200 body: property tag was removed (/components/schemas/Plant/properties/tag)',
      'INFO  response-required-property-added    POST /plants  response 200 body: property label was added (/components/schemas/Plant/properties/label)',
      '1 error, 2 warnings, 1 note',
      '',
    ]);
  });

  test('0 when there are warnings only', async () => {
    write('base.yaml', CONTRACT);
    write('openapi.yaml', RENAMED);
    expect(await diff('--base', 'base.yaml')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^WARN/) });
  });

  test('--json gives the findings as one array', async () => {
    write('base.yaml', CONTRACT);
    write('openapi.yaml', CONTRACT.replace('format: int64', 'format: int32'));
    const { code, stdout } = await diff('--base', 'base.yaml', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      {
        rule: 'request-property-type-changed',
        level: 'ERR',
        pointer: '/components/schemas/NewPlant/allOf/1/properties/id',
        operation: 'POST /plants',
        message: 'request body/id: type integer (int64) became integer (int32)',
      },
    ]);
  });

  test('takes the base from a git revision, also in a folder of the repository', async () => {
    await git('init', '--quiet');
    await commit('first');
    write('openapi.yaml', CONTRACT.replace('/plants:', '/flowers:'));
    expect(await diff('--base', 'HEAD')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^ERR {3}api-path-removed-without-deprecation {2}POST \/plants /),
    });
    await commit('second');
    expect(await diff('--base', 'HEAD')).toMatchObject({ code: 0 });
    expect(await diff('--base', 'HEAD~1')).toMatchObject({ code: 1 });

    mkdirSync(join(project, 'service'));
    write('service/openapi.yaml', CONTRACT);
    await commit('third');
    const inFolder = run(
      'node',
      [join(ROOT, 'scripts/contract-diff.ts'), '--base', 'HEAD'],
      {},
      join(project, 'service'),
    );
    expect(await inFolder).toMatchObject({ code: 0, stdout: '0 errors, 0 warnings, 0 notes\n' });
  });

  test('takes a base of several files', async () => {
    const [head = '', error = ''] = CONTRACT.split('\n    Error:\n');
    write('error.yaml', error.replaceAll(/^ {6}/gm, ''));
    write('base.yaml', `${head}\n    Error:\n      $ref: error.yaml\n`);
    expect(await diff('--base', 'base.yaml')).toEqual({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 notes\n',
      stderr: '',
    });
  });

  describe('2 and one line when the comparison is impossible:', () => {
    test.each<readonly [string, readonly string[], RegExp]>([
      ['no base', [], /--base <git revision or file> is required/],
      ['an unknown option', ['--bass', 'HEAD'], /Unknown option '--bass'/],
      ['a base that does not exist', ['--base', 'nowhere'], /nowhere is neither a file nor a git revision/],
      ['a base that looks like an option', ['--base=--all'], /--all is neither a file nor a git revision/],
      ['a revision without a document', ['--base', 'HEAD'], /the git revision HEAD has no openapi\.yaml/],
      [
        'a revision with an invalid one',
        ['--base', 'broken'],
        /broken:openapi\.yaml:\d+:\d+ #\/info.* error: .*version/,
      ],
      ['a file that is not a document', ['--base', 'other.txt'], /other\.txt {2}error: must be an OpenAPI document/],
    ])('%s', async (_name, args, message) => {
      write('other.txt', 'text');
      await git('init', '--quiet');
      write('openapi.yaml', CONTRACT.replace('  version: 1.0.0\n', ''));
      await commit('broken');
      await git('tag', 'broken');
      rmSync(join(project, 'openapi.yaml'));
      await commit('none');
      write('openapi.yaml', CONTRACT);
      const { code, stdout, stderr } = await diff(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^contract:diff: [^\n]*\n$/);
    });

    test('the document itself is invalid', async () => {
      write('base.yaml', CONTRACT);
      write('openapi.yaml', CONTRACT.replaceAll('schemas/Error', 'schemas/Mistake'));
      expect(await diff('--base', 'base.yaml')).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^contract:diff: openapi\.yaml:\d+:\d+ .*Can't resolve \$ref.* \(and 1 more\)\n$/,
        ),
      });
    });
  });
});
