import type { OpenApiDocument } from '@contract-first/documents';
import { asObject } from '../src/nodes/node.ts';
import {
  documentWith,
  get,
  headersWith,
  integer,
  ok,
  operationWith,
  parametersWith,
  property,
  query,
  summarize,
  text,
  type Fragment,
} from '@contract-first/testing/document.ts';

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
};
const secured = (security: readonly Fragment[], securitySchemes: Fragment = SCHEMES): OpenApiDocument =>
  operationWith({ security }, { components: { securitySchemes } });
const flows = (...names: readonly string[]): Fragment => ({
  oauth: { type: 'oauth2', flows: Object.fromEntries(names.map((name) => [name, {}])) },
});
const listOf = (items: Fragment): Fragment => ({ type: 'array', items });
const inQuery = (name: string): Fragment => ({ type: 'apiKey', in: 'query', name });
const served = (...urls: readonly string[]): OpenApiDocument =>
  operationWith({}, { servers: urls.map((url) => ({ url })) });
const servedFor = (url: string, values: readonly string[]): Fragment => ({
  servers: [{ url, variables: { value: { default: values[0], enum: values } } }],
});
const regions = (...names: readonly string[]): Fragment => servedFor('https://{value}.test/v1', names);
const versions = (...names: readonly string[]): Fragment => servedFor('https://a.test/{value}', names);

const at = (...urls: readonly string[]): Fragment => ({ servers: urls.map((url) => ({ url })) });
const item: Fragment = { get: get() };
const prefixed = documentWith({ '/a/b/{id}': item });

const inContent = (type: string, schema: Fragment = text): Fragment => ({
  schema: undefined,
  content: { [type]: { schema } },
});
const inPath = (name: string): Fragment => ({ name, in: 'path', required: true, schema: text });
const answers = (responses: Fragment): OpenApiDocument => operationWith({ responses });
const answersAs = (type: string): OpenApiDocument => answers({ '200': { ...ok, content: { [type]: {} } } });
const json = (schema: unknown): Fragment => ({ ...ok, content: { 'application/json': { schema } } });

test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
  [
    'another operationId',
    [operationWith({}), operationWith({ operationId: 'add' })],
    ['INFO api-operation-id-removed'],
  ],
  [
    'a parameter of the same place in the path has another type',
    [
      documentWith({ '/a/{id}': { get: get({ parameters: [inPath('id')] }) } }),
      documentWith({ '/a/{key}': { get: get({ parameters: [{ ...inPath('key'), schema: integer }] }) } }),
    ],
    ['ERR request-parameter-type-changed'],
  ],
  [
    'moved to a path with a parameter',
    [documentWith({ '/a': { get: get() } }), documentWith({ '/a/{id}': { get: get({ parameters: [inPath('id')] }) } })],
    ['ERR api-path-removed-without-deprecation', 'ERR new-request-path-parameter', 'INFO endpoint-added'],
  ],
])('operations: %s', (_name, [base, revision], want) => {
  expect(summarize(base, revision)).toEqual(want);
});

test.each<readonly [string, readonly [readonly Fragment[], readonly Fragment[]], readonly string[]]>([
  [
    'moved from the query to a header',
    [[query()], [query({ in: 'header' })]],
    ['INFO new-optional-request-parameter', 'WARN request-parameter-removed'],
  ],
  [
    'from integer to string, which has the same format',
    [[query({ schema: integer })], [query()]],
    ['INFO request-parameter-type-generalized'],
  ],
  ['from string to integer', [[query()], [query({ schema: integer })]], ['ERR request-parameter-type-changed']],
  ['explode of a single value', [[query()], [query({ explode: false })]], []],
  [
    'from an integer to a list of integers',
    [[query({ schema: integer })], [query({ explode: false, schema: listOf(integer) })]],
    ['INFO request-parameter-type-generalized'],
  ],
  [
    'from a string, which may contain a comma, to a list of strings',
    [[query()], [query({ explode: false, schema: listOf(text) })]],
    ['ERR request-parameter-type-changed'],
  ],
  ['a header in other letters', [[query({ in: 'header', name: 'X-A' })], [query({ in: 'header', name: 'x-a' })]], []],
  ['a header that OpenAPI ignores', [[], [query({ in: 'header', name: 'Accept', required: true })]], []],
  [
    'the charset of a JSON value',
    [[query(inContent('application/json'))], [query(inContent('application/json; charset=utf-8'))]],
    [],
  ],
  ['content with the text of a string', [[query()], [query(inContent('text/plain'))]], []],
  [
    'content with the text of a list',
    [[query({ schema: listOf(text) })], [query(inContent('text/plain', listOf(text)))]],
    ['ERR request-parameter-style-changed'],
  ],
])('parameters: %s', (_name, [base, revision], want) => {
  expect(summarize(parametersWith(...base), parametersWith(...revision))).toEqual(want);
});

test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
  [
    'authentication added for the whole document',
    [
      operationWith({}, { security: [] }),
      operationWith({}, { security: [{ bearer: [] }], components: { securitySchemes: SCHEMES } }),
    ],
    ['ERR api-security-added'],
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
  ['another name for the same scheme', [secured([{ key: [] }]), secured([{ token: [] }], { token: SCHEMES.key })], []],
  [
    'an API key in a header, and its name in other letters',
    [secured([{ key: [] }]), secured([{ key: [] }], { key: { ...SCHEMES.key, name: 'x-key' } })],
    [],
  ],
  [
    'an API key in a query, and its name in other letters',
    [secured([{ key: [] }], { key: inQuery('key') }), secured([{ key: [] }], { key: inQuery('Key') })],
    ['ERR api-security-component-type-changed'],
  ],
  [
    'another OAuth flow',
    [secured([{ oauth: [] }], flows('implicit', 'password')), secured([{ oauth: [] }], flows('password', 'device'))],
    ['ERR api-security-removed', 'INFO api-security-added'],
  ],
  ['ways in reordered', [secured([{ bearer: [] }, { key: [] }]), secured([{ key: [] }, { bearer: [] }])], []],
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
  ['a prefix moved from the paths to the servers', [prefixed, documentWith({ '/b/{key}': item }, at('/a'))], []],
  ['a prefix moved from the servers to the paths', [documentWith({ '/b/{key}': item }, at('/a/')), prefixed], []],
  [
    'a prefix moved to one of two servers',
    [
      documentWith({ '/a/b/{id}': item }, at('https://a.test', 'https://b.test')),
      documentWith({ '/b/{id}': item }, at('https://a.test/a', 'https://b.test')),
    ],
    ['INFO api-server-added', 'WARN api-server-removed'],
  ],
  [
    'a server variable replaced by its default',
    [
      operationWith({}, { servers: [{ url: '{base}', variables: { base: { default: 'http://a.test' } } }] }),
      operationWith({}, { servers: [{ url: 'http://a.test' }] }),
    ],
    [],
  ],
  [
    'the host in other letters, and its default port',
    [served('https://A.test:443/v1'), served('https://a.test/v1')],
    [],
  ],
  [
    'a server variable replaced by a server for each value',
    [operationWith({}, regions('eu', 'us')), served('https://eu.test/v1', 'https://us.test/v1')],
    [],
  ],
  [
    'a server variable lost a value in the host',
    [operationWith({}, regions('eu', 'us')), operationWith({}, regions('eu'))],
    ['WARN api-server-removed'],
  ],
  [
    'a server variable lost a value in the path',
    [operationWith({}, versions('v2', 'v1')), operationWith({}, versions('v2'))],
    ['ERR api-base-path-changed'],
  ],
])('security and servers: %s', (_name, [base, revision], want) => {
  expect(summarize(base, revision)).toEqual(want);
});

test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
  ['a charset added', [answersAs('application/json'), answersAs('application/json; charset=utf-8')], []],
  ['another spelling of parameters', [answersAs('a/b; V=x; w="1"'), answersAs('a/b;w=1;v=x')], []],
  [
    'another value of a parameter',
    [answersAs('a/b;v=1'), answersAs('a/b;v=2')],
    ['ERR response-media-type-removed', 'INFO response-media-type-added'],
  ],
  ['a parameter removed', [answersAs('a/b;v=1'), answersAs('a/b')], ['ERR response-media-type-name-generalized']],
  [
    'a range by its suffix',
    [answersAs('application/*+json'), answersAs('application/hal+json')],
    ['INFO response-media-type-name-specialized'],
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
    'a failure became part of default, which looks different',
    [answers({ '404': json(integer) }), answers({ default: json(text) })],
    [
      'ERR response-body-type-changed',
      'INFO response-non-success-status-added',
      'INFO response-non-success-status-removed',
    ],
  ],
  [
    'another type of a JSON header',
    [
      headersWith({ 'X-A': { content: json(integer)['content'] } }),
      headersWith({ 'X-A': { content: json(text)['content'] } }),
    ],
    ['ERR response-header-type-changed'],
  ],
  [
    'another type of a header',
    [headersWith({ 'X-A': { schema: integer } }), headersWith({ 'x-a': { schema: text } })],
    ['ERR response-header-type-generalized'],
  ],
])('responses: %s', (_name, [base, revision], want) => {
  expect(summarize(base, revision)).toEqual(want);
});

const withXml = { ...text, xml: { name: 'a' } };
const written = (type: string, schema: Fragment): OpenApiDocument =>
  answers({ '200': { ...ok, content: { [type]: { schema } } } });
const list = (xml?: Fragment): Fragment => ({ type: 'array', items: text, xml });

test.each<readonly [string, OpenApiDocument, OpenApiDocument, readonly string[]]>([
  [
    'a text is a number in text/plain',
    written('text/plain', text),
    written('text/plain', integer),
    ['INFO response-body-type-specialized'],
  ],
  [
    'a number is a text in XML',
    written('application/xml', property(integer)),
    written('application/xml', property(text)),
    ['ERR response-property-type-generalized'],
  ],
  ['another name for XML in JSON', written('application/json', text), written('application/json', withXml), []],
  ['a prefix in XML', written('text/xml', text), written('text/xml', { ...text, xml: { prefix: 'a' } }), []],
  ['an explicit default in XML', written('text/xml', list()), written('text/xml', list({ wrapped: false })), []],
  [
    'a wrapped list in XML',
    written('text/xml', list()),
    written('text/xml', list({ wrapped: true })),
    ['ERR response-body-xml-changed'],
  ],
  [
    'the two spellings of an attribute in XML',
    written('a/b+xml', { ...text, xml: { attribute: true } }),
    written('a/b+xml', { ...text, xml: { nodeType: 'attribute' } }),
    [],
  ],
])('bodies of text: %s', (_name, base, revision, want) => {
  expect(summarize(base, revision)).toEqual(want);
});

const fields = property({ type: 'array', items: { type: 'string' } });
const formOf = (encoding: Fragment): OpenApiDocument =>
  answers({ '200': { ...ok, content: { 'multipart/form-data': { schema: fields, encoding: { p: encoding } } } } });

test.each<readonly [string, Fragment, Fragment]>([
  ['the default media type', {}, { contentType: 'text/plain' }],
  ['the default style', {}, { style: 'form', explode: true }],
  ['other spelling', { contentType: 'image/png, image/gif' }, { contentType: 'image/gif,IMAGE/PNG' }],
])('an encoding with %s is the same', (_name, base, revision) => {
  expect(summarize(formOf(base), formOf(revision))).toEqual([]);
});

test.each<
  readonly [string, base: Fragment, revision: Fragment, request: readonly string[], response: readonly string[]]
>([
  [
    'a new required header',
    {},
    { headers: { 'X-A': { required: true, schema: text } } },
    ['ERR new-required-request-parameter'],
    ['INFO response-header-added'],
  ],
  [
    'a removed header',
    { headers: { 'X-A': { schema: text } } },
    {},
    ['WARN request-parameter-removed'],
    ['WARN optional-response-header-removed'],
  ],
  [
    'another type',
    { headers: { 'X-A': { schema: text } } },
    { headers: { 'x-a': { schema: integer } } },
    ['ERR request-parameter-type-changed'],
    ['INFO response-header-type-specialized'],
  ],
  ['Content-Type', {}, { headers: { 'Content-Type': { required: true, schema: text } } }, [], []],
])('headers of parts of forms: %s', (_name, base, revision, request, response) => {
  const sent = (encoding: Fragment): OpenApiDocument =>
    operationWith({
      requestBody: { content: { 'multipart/form-data': { schema: fields, encoding: { p: encoding } } } },
    });
  expect(summarize(sent(base), sent(revision))).toEqual(request);
  expect(summarize(formOf(base), formOf(revision))).toEqual(response);
});

const binary = { type: 'string', format: 'binary' };
const bytes = { type: 'string', contentMediaType: 'application/octet-stream' };
const in30 = (type: string, schema: Fragment): OpenApiDocument => ({ ...written(type, schema), openapi: '3.0.3' });

test.each<readonly [string, string, Fragment, Fragment]>([
  ['a body', 'application/octet-stream', binary, {}],
  ['an image in XML', 'image/svg+xml', binary, {}],
  ['an image', 'image/png', binary, {}],
  ['a part of a form', 'multipart/form-data', property(binary), property({})],
  ['a part of a form with a type', 'multipart/form-data', property(binary), property(bytes)],
  [
    'encoded bytes',
    'application/json',
    { type: 'string', format: 'byte' },
    { type: 'string', contentEncoding: 'base64' },
  ],
])('files in OpenAPI 3.0 and 3.1 are the same: %s', (_name, type, base, revision) => {
  expect(summarize(in30(type, base), written(type, revision))).toEqual([]);
  expect(summarize(written(type, revision), in30(type, base))).toEqual([]);
});

test('a file with an encoding in OpenAPI 3.0 and 3.1 is the same in a request', () => {
  const sent = (openapi: string, schema: Fragment): OpenApiDocument => {
    const content = { 'multipart/form-data': { schema, encoding: { p: { contentType: 'image/png' } } } };
    return { ...operationWith({ requestBody: { content } }), openapi };
  };
  expect(summarize(sent('3.0.3', property(binary)), sent('3.1.0', property(bytes)))).toEqual([]);
  expect(summarize(sent('3.0.3', property(binary)), sent('3.1.0', property({})))).toEqual([]);
});

test('a file that became a text', () => {
  const revision = written('multipart/form-data', property(text));
  expect(summarize(written('multipart/form-data', property(bytes)), revision)).toEqual([
    'ERR response-property-type-generalized',
  ]);
});

const post = (schema: unknown): Fragment => ({
  post: { requestBody: { content: { 'application/json': { schema } } }, responses: { '204': ok } },
});
const bodiless = { post: { responses: { '204': ok } } };
const withHeader = (rest: Fragment): Fragment => {
  const parameters = [{ name: 'X-A', in: 'header', schema: text, ...rest }];
  return { post: { ...asObject(post(text)['post']), parameters } };
};
const notify = (schema: unknown): Fragment => ({ additionalOperations: { NOTIFY: post(schema)['post'] } });
const hook = (item: Fragment): OpenApiDocument => documentWith({}, { openapi: '3.2.0', webhooks: { changed: item } });
const call = (item: Fragment): OpenApiDocument =>
  operationWith({ callbacks: { changed: { '{$request.body#/url}': item } } }, { openapi: '3.2.0' });

test.each<readonly [string, Fragment, Fragment, Readonly<Record<'webhook' | 'callback', readonly string[]>>]>([
  ['the same', post(text), post(text), { webhook: [], callback: [] }],
  ['another body', post(text), post(integer), both('ERR response-body-type-changed')],
  ['a body removed', post(text), bodiless, both('ERR response-media-type-removed')],
  ['a body added', bodiless, post(text), both('INFO response-media-type-added')],
  [
    'a required header removed',
    withHeader({ required: true }),
    post(text),
    both('ERR required-response-header-removed'),
  ],
  ['a header added', post(text), withHeader({}), both('INFO response-header-added')],
  ['another body with a method of its own', notify(text), notify(integer), both('ERR response-body-type-changed')],
  [
    'another method',
    post(text),
    notify(text),
    {
      webhook: ['ERR webhook-removed', 'INFO webhook-added'],
      callback: ['ERR callback-removed', 'INFO callback-added'],
    },
  ],
])('webhooks and callbacks: %s', (_name, base, revision, want) => {
  const findings = {
    webhook: summarize(hook(base), hook(revision)),
    callback: summarize(call(base), call(revision)),
  };
  expect(findings).toEqual(want);
});

function both(finding: string): Readonly<Record<'webhook' | 'callback', readonly string[]>> {
  return { webhook: [finding], callback: [finding] };
}
