import request from 'supertest';
import type { ValidRequest } from '../../src/http/handle/validate-request.ts';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';

/** Serves GET with a YAML list of parameters, and returns the input of the handler. */
async function serve(path: string, parameters: string, rest?: string) {
  const received: ValidRequest[] = [];
  const responses = "responses: { '204': { description: Done. } }";
  const contract = await contractOf(documentOf(path, 'get', `parameters:\n${parameters}\n${responses}`, rest));
  const op = async (got: never) => {
    received.push(got);
    return { status: 204 };
  };
  const { app } = await createTestApp({ contract, handlers: { op } });
  return { app, received };
}

const ENUM_OR_LIST = '{ oneOf: [{ enum: [all, none] }, { type: array, items: { type: string } }] }';
const TEXT_OR_LIST =
  'schema: { type: object, properties: { a: { anyOf: [{ type: string }, { type: array, items: { type: string } }] } } }';

test.each<[string, string, string, unknown]>([
  ['{ type: integer }', '/a/0', 'id', 0],
  ['{ type: integer }', '/a/-7', 'id', -7],
  ['{ type: integer, format: int64 }', '/a/0', 'id', 0n],
  ['{ type: integer, format: int64 }', '/a/9223372036854775807', 'id', 9223372036854775807n],
  ['{ type: number }', '/a/1.5', 'id', 1.5],
  ['{ type: boolean }', '/a/false', 'id', false],
  ['{ type: string }', '/a/0', 'id', '0'],
  ['{ type: string }', '/a/a%2Fb%20c+d', 'id', 'a/b c+d'],
  ['{ type: string }', '/a/%F0%9F%8C%BF', 'id', '🌿'],
  ['{ type: [integer, string] }', '/a/x1', 'id', 'x1'],
  ['{ type: array, items: { type: integer } }', '/a/1,2', 'id', [1, 2]],
  ['{ type: array, items: { type: integer, format: int64 } }', '/a/1,9007199254740993', 'id', [1n, 9007199254740993n]],
  ['{ type: object, properties: { x: { type: integer } } }', '/a/x,1', 'id', { x: 1 }],
  ['{ enum: [1, 2] }', '/a/2', 'id', 2],
])('path parameters: %s %s', async (schema, path, name, value) => {
  const { app, received } = await serve('/a/{id}', `- { name: id, in: path, required: true, schema: ${schema} }`);
  expect((await request(app).get(path)).status).toBe(204);
  expect(received[0]?.path).toEqual({ [name]: value });
});

test.each<[string, string, number, RegExp, name?: string]>([
  ['{ type: integer }', '/a/1.5', 400, /path\/id must be integer/],
  ['{ type: integer }', '/a/0x10', 400, /path parameter id must be integer/],
  ['{ type: integer }', '/a/%201', 400, /path parameter id must be integer/],
  ['{ type: integer, format: int64 }', '/a/9223372036854775808', 400, /path\/id must be between/],
  ['{ type: integer, minimum: 1 }', '/a/0', 400, /path\/id must be >= 1/],
  ['{ type: boolean }', '/a/yes', 400, /path parameter id must be boolean/],
  ['{ type: string, maxLength: 2 }', '/a/abc', 400, /path\/id must NOT have more than 2 characters/],
  ['{ type: string }', '/a/', 404, /does not exist/],
  ['{ type: string }', '/a/b/c', 404, /does not exist/],
  ['{ type: integer }', '/a/1.5', 400, /path\/__proto__ must be integer/, '__proto__'],
])('path parameters: %s %s is refused', async (schema, path, status, message, name = 'id') => {
  const { app, received } = await serve(
    `/a/{${name}}`,
    `- { name: ${name}, in: path, required: true, schema: ${schema} }`,
  );
  expectProblem(await request(app).get(path), status, message);
  expect(received).toEqual([]);
});

test('path parameters: several in one segment, with any names, beside a path without parameters', async () => {
  const parameters = [
    "- { name: 'a-b', in: path, required: true, schema: { type: string } }",
    '- { name: constructor, in: path, required: true, schema: { type: string } }',
  ];
  const { app, received } = await serve('/a:b/{a-b}.{constructor}', parameters.join('\n'));
  expect((await request(app).get('/a:b/x.y')).status).toBe(204);
  expect(received[0]?.path).toEqual({ 'a-b': 'x', constructor: 'y' });
});

test.each<[string, string, object | undefined]>([
  ['/x/{id}:cancel', '/x/5:cancel', { id: '5' }],
  ['/x/{id}:cancel', '/x/5', undefined],
  ['/x/{id}:cancel', '/x/5:start', undefined],
  ['/x/{id}:cancel', '/x/a/b:cancel', undefined],
  ['/x/{id}_s', '/x/a%2Fb_s', { id: 'a/b' }],
  ['/x/{a},{b}', '/x/1,2', { a: '1', b: '2' }],
  ['/x/{a}-{b}', '/x/1-2-3', { a: '1', b: '2-3' }],
  ['/x/{a}-{b}', '/x/1%2D2', { a: '1', b: '2' }],
  ['/x/{a}:{b}', '/x/1%3A2:3', { a: '1:2', b: '3' }],
  ['/x/{a}-{b}', '/x/-1', undefined],
  ['/x/{a}-{b}', '/x/--1', { a: '-', b: '1' }],
  ['/x/{a}-{b}-', '/x/1-', undefined],
  ['/x/v{a}.{b}.json', '/x/v1.json.json', { a: '1', b: 'json' }],
  ['/x/{a}', '/x/%ff', undefined],
  ['/é/{a}', '/%c3%A9/1', { a: '1' }],
])('a path with text beside its parameters: %s for %s is %j', expectMatch);

test('a path with text beside its parameters: thousands of separators are matched in linear time', async () => {
  const dashes = '-'.repeat(4_000);
  await expectMatch('/x/{a}-{b}-{c}', `/x/${dashes}%0A`, { a: '-', b: '-', c: `${dashes.slice(4)}\n` });
  await expectMatch('/x/{a}-{b}-{c}-{d}-{e}!', `/x/${dashes}%0A`, undefined);
});

async function expectMatch(path: string, target: string, values: object | undefined): Promise<void> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = names.map((name) => `- { name: ${name}, in: path, required: true, schema: { type: string } }`);
  const { app, received } = await serve(path, parameters.join('\n'));
  expect((await request(app).get(target)).status).toBe(values === undefined ? 404 : 204);
  expect(received[0]?.path).toEqual(values);
}

test.each<[string, string, unknown]>([
  ['schema: { type: string }', '', {}],
  ['schema: { type: string }', '?q=', { q: '' }],
  ['schema: { type: string }', '?q', { q: '' }],
  ['schema: { type: string }', '?q=a+b%2Bc%26', { q: 'a b+c&' }],
  ['schema: { type: string }', '?q=true', { q: 'true' }],
  ['schema: { type: integer }', '?q=0', { q: 0 }],
  ['schema: { type: boolean }', '?q=false', { q: false }],
  ["schema: { type: [string, 'null'] }", '?q=null', { q: null }],
  ['schema: { type: integer, default: 0 }', '', { q: 0 }],
  ['schema: { type: integer, format: int64, default: 5 }', '', { q: 5n }],
  ['schema: { type: array, items: { type: integer } }', '?q=1', { q: [1] }],
  ['schema: { type: array, items: { type: integer } }', '?q=1&q=2', { q: [1, 2] }],
  ['schema: { type: array, items: { type: string } }', '?q=a,b', { q: ['a,b'] }],
  ['explode: false, schema: { type: array, items: { type: string } }', '?q=a,b%2Cc', { q: ['a', 'b,c'] }],
  ['explode: false, schema: { type: array, items: { type: string } }', '?q=', { q: [] }],
  [
    'style: pipeDelimited, explode: false, schema: { type: array, items: { type: integer } }',
    '?q=1|2%7C3',
    { q: [1, 2, 3] },
  ],
  [
    'style: spaceDelimited, explode: false, schema: { type: array, items: { type: integer } }',
    '?q=1%202+3',
    { q: [1, 2, 3] },
  ],
  [
    'schema: { type: object, properties: { a: { type: integer }, b: { type: string } } }',
    '?b=x&a=1',
    { q: { a: 1, b: 'x' } },
  ],
  ['explode: false, schema: { type: object, properties: { a: { type: integer } } }', '?q=a,1', { q: { a: 1 } }],
  ['schema: { oneOf: [{ type: integer }, { type: object, properties: { a: {} } }] }', '?q=2', { q: 2 }],
  ['schema: { oneOf: [{ type: integer }, { type: object, properties: { a: {} } }] }', '?a=2', { q: { a: '2' } }],
  [
    'style: deepObject, schema: { type: object, properties: { a: { type: integer, format: int64 } } }',
    '?q[a]=9007199254740993&q%5Bb%5D=x',
    { q: { a: 9007199254740993n, b: 'x' } },
  ],
  [
    'content: { application/json: { schema: { type: object, properties: { a: { type: integer, format: int64 } } } } }',
    '?q=%7B%22a%22:9007199254740993%7D',
    { q: { a: 9007199254740993n } },
  ],
  ['content: { application/json: { schema: { type: array, items: { type: integer } } } }', '?q=[1,2]', { q: [1, 2] }],
  [
    'content: { text/plain: { schema: { type: integer, format: int64 } } }',
    '?q=9007199254740993',
    { q: 9007199254740993n },
  ],
  ['content: { text/plain: { schema: { type: string } } }', '?q=a,%2Bb', { q: 'a,+b' }],
  ["content: { text/csv: { schema: { type: [integer, 'null'] } } }", '?q=3', { q: 3 }],
  ['schema: { oneOf: [{ type: boolean }, { type: integer }] }', '?q=3', { q: 3 }],
  ['schema: { anyOf: [{ enum: [all] }, { type: array, items: { type: integer } }] }', '?q=all', { q: 'all' }],
  ['schema: { anyOf: [{ enum: [all] }, { type: array, items: { type: integer } }] }', '?q=3', { q: [3] }],
  [
    'explode: false, schema: { anyOf: [{ enum: [all] }, { type: array, items: { type: integer } }] }',
    '?q=all',
    { q: 'all' },
  ],
  [`schema: ${ENUM_OR_LIST}`, '?q=all', { q: 'all' }],
  [`schema: ${ENUM_OR_LIST}`, '?q=1', { q: ['1'] }],
  [`explode: false, schema: ${ENUM_OR_LIST}`, '?q=all', { q: 'all' }],
  [`explode: false, schema: ${ENUM_OR_LIST}`, '?q=all,1', { q: ['all', '1'] }],
  [`style: deepObject, schema: { type: object, properties: { a: ${ENUM_OR_LIST} } }`, '?q[a]=1', { q: { a: ['1'] } }],
  ['schema: { oneOf: [{ type: string }, { type: array, items: { enum: [a] } }] }', '?q=all', { q: 'all' }],
  ['schema: { oneOf: [{ type: string, minLength: 2 }, { type: array, items: { enum: [a] } }] }', '?q=a', { q: ['a'] }],
  [`style: deepObject, ${TEXT_OR_LIST}`, '?q[a]=1', { q: { a: '1' } }],
  [`style: deepObject, ${TEXT_OR_LIST}`, '?q[a]=%7B%7D', { q: { a: '{}' } }],
  [`style: deepObject, ${TEXT_OR_LIST}`, '?q[a]=[%221%22]', { q: { a: ['1'] } }],
])('query parameters: %s %s', async (parameter, query, values) => {
  const { app, received } = await serve('/a', `- { name: q, in: query, ${parameter} }`);
  const response = await request(app).get(`/a${query}`);
  expect([response.status, response.text]).toEqual([204, '']);
  expect(received[0]?.query).toEqual(values);
});

test.each<[string, string, RegExp]>([
  ['schema: { type: integer }', '?q=', /query parameter q must be integer/],
  ['schema: { type: integer }', '?q=1&q=2', /query parameter q must not be repeated/],
  ['schema: { type: integer }', '?q=1&r=2', /query parameter r is not documented/],
  ['schema: { type: integer }', '?constructor=1', /query parameter constructor is not documented/],
  ['schema: { type: integer }', '?__proto__=1', /query parameter __proto__ is not documented/],
  ['schema: { type: string }', '?q=%', /percent-encoding/],
  ['schema: { type: string }', '?q=%FF', /percent-encoding/],
  [
    'style: deepObject, schema: { type: object, additionalProperties: { type: integer } }',
    '?q[a]=1&evil=1',
    /query parameter evil is not documented/,
  ],
  [
    'style: deepObject, schema: { type: object, additionalProperties: { type: integer } }',
    '?q[a]=x',
    /query parameter q\/a must be integer/,
  ],
  ['required: true, schema: { type: string }', '', /query must have required property 'q'/],
  ['schema: { type: array, items: { type: integer } }', '?q=1&q=x', /query parameter q\/1 must be integer/],
  [
    'schema: { type: array, maxItems: 1, items: { type: integer } }',
    '?q=1&q=2',
    /query\/q must NOT have more than 1 items/,
  ],
  ['schema: { type: string, enum: [a, b] }', '?q=c', /query\/q must be equal to one of the allowed values: a, b/],
  [
    'content: { application/json: { schema: { type: object, properties: { a: { type: integer } } } } }',
    '?q=%7B%22a%22:null%7D',
    /query\/q\/a must be integer/,
  ],
  ['content: { text/plain: { schema: { type: integer } } }', '?q=a', /query parameter q must be integer/],
  ['content: { text/plain: { schema: { enum: [a, b] } } }', '?q=c', /query\/q must be equal to one of/],
  [
    "content: { text/plain: { schema: { type: [integer, 'null'] } } }",
    '?q=a',
    /query parameter q must be integer or null/,
  ],
  ['content: { application/json: { schema: { type: object } } }', '?q=%7B', /query parameter q is not valid JSON/],
])('query parameters: %s %s is refused', async (parameter, query, message) => {
  const { app, received } = await serve('/a', `- { name: q, in: query, ${parameter} }`);
  expectProblem(await request(app).get(`/a${query}`), 400, message);
  expect(received).toEqual([]);
});

test.each([
  [
    'a parameter in an extension of the components',
    "$ref: '#/components/x-parameters/Id'",
    'x-parameters: { Id: { name: q, in: query, schema: { $ref: "#/components/x-schemas/Id" } } }, x-schemas: { Id: { type: integer } }',
  ],
  [
    'a media type component',
    "name: q, in: query, content: { text/plain: { $ref: '#/components/mediaTypes/Id' } }",
    'mediaTypes: { Id: { schema: { type: integer } } }',
  ],
])('query parameters: a reference to %s is validated', async (_place, parameter, components) => {
  const text = documentOf(
    '/a',
    'get',
    `parameters: [{ ${parameter} }]\nresponses: { '204': { description: Done. } }`,
    `components: { ${components} }`,
  );
  const contract = await contractOf(text.replace('openapi: 3.1.0', 'openapi: 3.2.0'));
  const { app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) } });
  expect((await request(app).get('/a?q=3')).status).toBe(204);
  expectProblem(await request(app).get('/a?q=a'), 400, /query parameter q must be integer/);
});

const parameters = [
  '- { name: X-Count, in: header, required: true, schema: { type: integer } }',
  '- { name: X-Tags, in: header, schema: { type: array, items: { type: string } } }',
  '- { name: X-Level, in: header, schema: { type: integer, default: 3 } }',
  '- { name: theme, in: cookie, schema: { type: string, enum: [light, dark] } }',
  '- { name: Authorization, in: header, schema: { type: integer } }',
].join('\n');

test('header and cookie parameters have the documented names and types', async () => {
  const { app, received } = await serve('/a', parameters);
  const headers = { 'x-count': '0', 'X-TAGS': 'a, b', Cookie: 'other=1; theme=dark', Authorization: 'x' };
  expect((await request(app).get('/a').set(headers)).status).toBe(204);
  expect(received[0]?.headers).toEqual({ 'X-Count': 0, 'X-Tags': ['a', 'b'], 'X-Level': 3 });
  expect(received[0]?.cookies).toEqual({ theme: 'dark' });
});

test.each([
  ['the first of one name', 'theme=dark; theme=light', 'dark'],
  ['a percent-encoding', 'theme=a%20b', 'a b'],
  ['a percent sign', 'theme=100%', '100%'],
  ['other text with a percent sign', 'theme=x%zz%20', 'x%zz%20'],
  ['beside a name with a percent sign', 'promo%=1; theme=dark', 'dark'],
  ['a name like an encoded one', 'th%65me=light; theme=dark', 'dark'],
  ['beside a value that is not UTF-8', 'other=%ff; theme=dark', 'dark'],
])('cookie parameters: %s: %s', async (_name, Cookie, theme) => {
  const { app, received } = await serve('/a', '- { name: theme, in: cookie, schema: { type: string } }');
  expect((await request(app).get('/a').set({ Cookie })).status).toBe(204);
  expect(received[0]?.cookies).toEqual({ theme });
});

test.each<[Record<string, string>, RegExp]>([
  [{}, /header must have required property 'X-Count'/],
  [{ 'X-Count': 'many' }, /header parameter X-Count must be integer/],
  [{ 'X-Count': '1', Cookie: 'theme=blue' }, /cookie\/theme must be equal to one of the allowed values: light, dark/],
])('header and cookie parameters: %j is refused', async (headers, message) => {
  const { app } = await serve('/a', parameters);
  expectProblem(await request(app).get('/a').set(headers), 400, message);
});

const LIMIT = '- { name: limit, in: query, schema: { type: integer } }';
const FREE = 'components: { schemas: { Free: { type: object, additionalProperties: { type: integer } } } }';
const UTM = "{ type: object, patternProperties: { '^utm_': { type: string } }, additionalProperties: false }";

test.each<[string, string, object | RegExp]>([
  ['{ type: object, additionalProperties: true }', 'a=1&limit=2&b=', { limit: 2, free: { a: '1', b: '' } }],
  ['{ type: object, additionalProperties: true }', 'limit=2', { limit: 2 }],
  ['{ type: object, additionalProperties: { type: integer } }', 'a=1&limit=2', { limit: 2, free: { a: 1 } }],
  [
    '{ type: object, additionalProperties: { type: integer } }',
    'a=x&limit=2',
    /query parameter free\/a must be integer/,
  ],
  [
    '{ type: object, properties: { n: { type: integer } }, additionalProperties: {} }',
    'n=1&a=2',
    { free: { n: 1, a: '2' } },
  ],
  [
    '{ type: object, additionalProperties: true }',
    '__proto__=1&constructor=2&%20=3',
    { free: JSON.parse('{"__proto__":"1","constructor":"2"," ":"3"}') as object },
  ],
  [
    '{ type: object, additionalProperties: true, maxProperties: 1 }',
    'a=1&b=2',
    /query\/free must NOT have more than 1 properties/,
  ],
  ['{ type: object, additionalProperties: true }', 'a=1&a=2', /must not repeat a/],
  [UTM, 'utm_source=a%20b&utm_medium=c&limit=2', { limit: 2, free: { utm_source: 'a b', utm_medium: 'c' } }],
  [UTM, 'utm_source=a&limit=x', /query parameter limit must be integer/],
  [UTM, 'utm_source=a&other=1', /query\/free must NOT have additional properties/],
  [
    "{ type: object, patternProperties: { '^n_': { type: integer }, '^s_': { type: boolean } } }",
    'n_a=1&s_b=true',
    { free: { n_a: 1, s_b: true } },
  ],
  [
    "{ type: object, additionalProperties: { type: string }, propertyNames: { pattern: '^utm_' } }",
    'other=1',
    /property name/,
  ],
  ['{ type: object, unevaluatedProperties: { type: integer } }', 'a=1', { free: { a: 1 } }],
  ['{ type: object, allOf: [{ additionalProperties: { type: integer } }] }', 'a=1', { free: { a: 1 } }],
  [`{ type: object, allOf: [$ref: '#/components/schemas/Free'] }`, 'a=1', { free: { a: 1 } }],
  [`{ $ref: '#/components/schemas/Free', properties: { n: { type: integer } } }`, 'n=2&a=1', { free: { n: 2, a: 1 } }],
  [
    `{ unevaluatedProperties: false, allOf: [{ $ref: '#/components/schemas/Free' }] }`,
    'a=1&limit=2',
    { limit: 2, free: { a: 1 } },
  ],
  [
    '{ type: object, oneOf: [{ required: [a], patternProperties: { ^a: { type: integer } } }, { required: [b] }] }',
    'a=1',
    { free: { a: 1 } },
  ],
  [
    `{ type: object, allOf: [$ref: '#/components/schemas/Free'], additionalProperties: false }`,
    'a=1',
    /query parameter a is not documented/,
  ],
  // The schema does not say that there are other members.
  ['{ type: object, properties: { n: { type: integer } } }', 'a=1', /query parameter a is not documented/],
  ['{ type: object, additionalProperties: false }', 'a=1', /query parameter a is not documented/],
])('free-form query parameters: %s with ?%s', async (schema, query, expected) => {
  for (const parameters of [
    `${LIMIT}\n- { name: free, in: query, schema: ${schema} }`,
    `- { name: free, in: query, style: form, explode: true, schema: ${schema} }\n${LIMIT}`,
  ]) {
    const { app, received } = await serve('/a', parameters, FREE);
    const response = await request(app).get(`/a?${query}`);
    if (expected instanceof RegExp) expectProblem(response, 400, expected);
    else expect([response.status, received[0]?.query]).toEqual([204, expected]);
  }
});

test('a free-form parameter does not include API keys in the query', async () => {
  const parameters = 'parameters: [{ name: free, in: query, schema: { type: object, additionalProperties: true } }]';
  const contract = await contractOf(
    documentOf(
      '/a',
      'get',
      `security: [key: []]\n${parameters}\nresponses: { '200': { description: It., content: { application/json: {} } } }`,
      'components: { securitySchemes: { key: { type: apiKey, in: query, name: key } } }',
    ),
  );
  const op = async ({ query }: ValidRequest) => ({ status: 200, body: query });
  const { app } = await createTestApp({ contract, handlers: { op } });
  expect((await request(app).get(`/a?key=${TOKEN}&a=1`)).body).toEqual({ free: { a: '1' } });
});
