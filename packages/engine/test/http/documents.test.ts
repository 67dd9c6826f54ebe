import request from 'supertest';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const NO_CONTENT = "responses: { '204': { description: Done. } }";
const done = async () => ({ status: 204 });

/** Serves POST /a with a JSON body of a schema in YAML. */
async function serveSchema(schema: string, rest = '') {
  const body = `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;
  const contract = await contractOf(documentOf('/a', 'post', `${body}\n${NO_CONTENT}`, rest));
  const { app } = await createTestApp({ contract, handlers: { op: done } });
  return (value: unknown) =>
    request(app)
      .post('/a')
      .send(value as object);
}

const TREE = `
components:
  schemas:
    Tree: { type: object, required: [id], properties: { id: { type: integer }, children: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }
    Cat: { type: object, required: [kind, lives], properties: { kind: { const: cat }, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: { const: dog } } }
    my.name: { type: string, minLength: 1 }`;

test.each<[string, string, unknown[], unknown[]]>([
  ['const', '{ const: 5 }', [5], [4, '5', null]],
  ['type arrays', "{ type: [string, 'null'] }", ['a', null], [1]],
  [
    'recursion',
    "{ $ref: '#/components/schemas/Tree' }",
    [{ id: 1, children: [{ id: 2, children: [] }] }],
    [{ id: 1, children: [{}] }],
  ],
  [
    'discriminator',
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' } } }",
    [{ kind: 'cat', lives: 9 }, { kind: 'dog' }],
    [{ kind: 'cat' }, { kind: 'bird' }, {}, [], 'cat'],
  ],
  [
    'unevaluatedProperties',
    "{ allOf: [{ $ref: '#/components/schemas/Dog' }], properties: { name: { type: string } }, unevaluatedProperties: false }",
    [{ kind: 'dog', name: 'x' }],
    [{ kind: 'dog', colour: 'x' }],
  ],
  [
    'unevaluatedProperties beside alternatives, and properties that every object inherits',
    '{ type: object, anyOf: [{ properties: { toString: { type: integer } } }, {}], unevaluatedProperties: false }',
    [{}, { toString: 1 }],
    [{ toString: 'x' }, { toString: 1, constructor: 1 }],
  ],
  [
    'properties that a condition evaluates',
    '{ if: { properties: { a: { const: 1 } }, required: [a] }, else: { required: [b], properties: { b: true } }, unevaluatedProperties: false }',
    [{ a: 1 }, { b: 1 }],
    [
      { a: 2, b: 1 },
      { a: 1, b: 1 },
    ],
  ],
  [
    'properties that a condition without branches evaluates',
    '{ if: { properties: { a: { const: 1 } } }, unevaluatedProperties: { type: string } }',
    [{ a: 1 }, { a: 'x' }],
    [{ a: 2 }, { b: 1 }],
  ],
  [
    'properties and items that are evaluated before a condition',
    '{ allOf: [{ properties: { n: true }, prefixItems: [true] }], if: { properties: { a: true }, prefixItems: [true, true], required: [a], minItems: 2, type: [object, array] }, unevaluatedProperties: false, unevaluatedItems: false }',
    [{ n: 1 }, { n: 1, a: 1 }, [1], [1, 2]],
    [{ n: 1, b: 1 }, [1, 2, 3]],
  ],
  [
    'patternProperties beside alternatives',
    '{ anyOf: [{ required: [a], properties: { a: true } }, { required: [b], additionalProperties: true }, {}], patternProperties: { ^x: { type: integer } } }',
    [{ x: 1 }, { a: 1, x: 1 }, { b: 1, x: 1 }],
    [{ x: 'x' }, { a: 1, x: 'x' }, { b: 1, x: 'x' }],
  ],
  [
    'unevaluatedItems after alternatives',
    '{ anyOf: [{ items: { type: string } }, true], unevaluatedItems: { type: boolean } }',
    [['yes', 'no'], [true]],
    [['yes', false], [1]],
  ],
  [
    'unevaluatedItems beside contains',
    '{ prefixItems: [true], contains: { type: string }, unevaluatedItems: { multipleOf: 2 } }',
    [[1, 'a', 2, 'b'], ['a']],
    [
      [1, 2],
      ['a', 3],
      [1, 'a', 3],
    ],
  ],
  [
    'unevaluatedItems beside contains in conditions',
    '{ if: { contains: { const: a } }, then: { if: { contains: { const: b } } }, unevaluatedItems: false }',
    [['a', 'b', 'a'], ['a'], []],
    [['b'], ['a', 'c']],
  ],
  [
    'contains beside prefixItems',
    '{ prefixItems: [{ type: integer }], contains: { const: 1 } }',
    [[1], [2, 1]],
    [[], [2]],
  ],
  [
    'limits of contains',
    '{ contains: { type: integer }, minContains: 0, maxContains: 1, unevaluatedItems: false }',
    [[], [1]],
    [[1, 2], ['a'], [1, 'a']],
  ],
  [
    'required properties that every object inherits',
    '{ type: object, required: [constructor, toString] }',
    [{ constructor: 1, toString: 2 }],
    [{}, { constructor: 1 }],
  ],
  [
    'properties that every object inherits',
    '{ type: object, properties: { constructor: { type: integer }, valueOf: { type: string } } }',
    [{}, { constructor: 1 }],
    [{ constructor: 'x' }, { valueOf: 1 }],
  ],
  [
    'additionalProperties false',
    '{ type: object, properties: { a: {} }, additionalProperties: false }',
    [{}, { a: 1 }],
    [{ toString: 1 }, { b: 1 }],
  ],
  [
    'siblings of a reference',
    "{ $ref: '#/components/schemas/Dog', required: [name], properties: { name: { type: string } } }",
    [{ kind: 'dog', name: 'x' }],
    [{ kind: 'dog' }, { name: 'x' }],
  ],
  ['names with a dot', "{ $ref: '#/components/schemas/my.name' }", ['x'], ['', 1]],
  ['prefixItems', '{ type: array, prefixItems: [{ type: integer }], items: false }', [[1], []], [['x'], [1, 2]]],
  ['formats', '{ type: string, format: date }', ['2024-02-29'], ['2023-02-29', 'today']],
  [
    'readOnly is not for requests',
    '{ type: object, required: [id], properties: { id: { type: integer, readOnly: true } } }',
    [{}],
    [{ id: 1 }],
  ],
])('schemas: %s', async (_name, schema, valid, invalid) => {
  const send = await serveSchema(schema, TREE);
  const json = (value: unknown) => send(JSON.stringify(value)).type('json');
  for (const value of valid) expect([value, (await json(value)).status]).toEqual([value, 204]);
  for (const value of invalid) expectProblem(await json(value), 400, /^body/);
});

test('schemas: OpenAPI 3.0: nullable, exclusive bounds as booleans', async () => {
  const schema =
    '{ type: object, properties: { a: { type: string, nullable: true }, b: { type: integer, minimum: 0, exclusiveMinimum: true } } }';
  const body = `requestBody: { content: { application/json: { schema: ${schema} } } }`;
  const document = documentOf('/a', 'post', `${body}\n${NO_CONTENT}`).replace('3.1.0', '3.0.3');
  const { app } = await createTestApp({ contract: await contractOf(document), handlers: { op: done } });
  const send = (value: object) => request(app).post('/a').send(value);
  expect((await send({ a: null, b: 1 })).status).toBe(204);
  expectProblem(await send({ a: 1 }), 400, /body\/a must be string/);
  expectProblem(await send({ b: 0 }), 400, /body\/b must be > 0/);
});

test('operations, paths and parameters can have the names of inherited object properties', async () => {
  const operation = (id: string) => `    get: { operationId: ${id}, ${NO_CONTENT} }\n`;
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  const paths = names.map((name) => `  /${name}:\n${operation(name)}`).join('');
  const contract = await contractOf(`
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
${paths}  /__proto__:
    get: { operationId: proto, ${NO_CONTENT} }
`);
  const handlers = Object.fromEntries([...names, 'proto'].map((name) => [name, done]));
  const { app } = await createTestApp({ contract, handlers });
  for (const name of [...names, '__proto__']) expect((await request(app).get(`/${name}`)).status).toBe(204);
  expectProblem(await request(app).get('/valueOf'), 404, /does not exist/);
  const bare = await createTestApp({ contract, handlers: {}, production: false });
  expectProblem(await request(bare.app).get('/toString'), 501, /toString is not implemented/);
});

test('servers: every operation is under the path of each server, and nowhere else', async () => {
  const servers = `servers:
  - { url: 'https://example.org/v1/' }
  - { url: '{scheme}://example.org/{version}', variables: { scheme: { default: https }, version: { default: v2 } } }
  - { url: /v1 }`;
  const contract = await contractOf(documentOf('/a', 'get', NO_CONTENT, servers));
  expect(contract.basePaths).toEqual(['/v1', '/v2']);
  const { app } = await createTestApp({ contract, handlers: { op: done } });
  expect((await request(app).get('/v1/a')).status).toBe(204);
  expect((await request(app).get('/v2/a')).status).toBe(204);
  expectProblem(await request(app).get('/a'), 404, /does not exist/);
});

const SCHEMES = `components:
  securitySchemes:
    bearer: { type: http, scheme: Bearer }
    header: { type: apiKey, in: header, name: X-Key }
    query: { type: apiKey, in: query, name: key }
    cookie: { type: apiKey, in: cookie, name: session }`;
const serve = async (security: string) => {
  const contract = await contractOf(documentOf('/a', 'get', `security: ${security}\n${NO_CONTENT}`, SCHEMES));
  return (await createTestApp({ contract, handlers: { op: done } })).app;
};
const BEARER = { Authorization: `Bearer ${TOKEN}` };

test.each<[string, Record<string, string>, string, number]>([
  ['[]', {}, '', 204],
  ['[{}]', {}, '', 204],
  ['[{ bearer: [] }]', {}, '', 401],
  ['[{ bearer: [] }]', BEARER, '', 204],
  ['[{ header: [] }]', { 'X-Key': TOKEN }, '', 204],
  ['[{ header: [] }]', { 'X-Key': 'nope' }, '', 401],
  ['[{ header: [] }]', BEARER, '', 401],
  ['[{ query: [] }]', {}, `?key=${TOKEN}`, 204],
  ['[{ query: [] }]', {}, '?key=nope', 401],
  ['[{ cookie: [] }]', { Cookie: `a=b; session=${TOKEN}` }, '', 204],
  ['[{ cookie: [] }]', { Cookie: 'session=' }, '', 401],
  ['[{ cookie: [] }]', { Cookie: 'session=x%zz' }, '', 401],
  ['[{ cookie: [] }]', { Cookie: `promo%=100%; session=${TOKEN}; session=other` }, '', 204],
  ['[{ bearer: [], header: [] }]', BEARER, '', 401],
  ['[{ bearer: [], header: [] }]', { 'X-Key': TOKEN }, '', 401],
  ['[{ bearer: [], header: [] }]', { ...BEARER, 'X-Key': TOKEN }, '', 204],
  ['[{ bearer: [] }, { header: [] }]', { 'X-Key': TOKEN }, '', 204],
  ['[{ bearer: [] }, { header: [], query: [] }]', { 'X-Key': TOKEN }, '', 401],
  ['[{ bearer: [] }, { header: [], query: [] }]', { 'X-Key': TOKEN }, `?key=${TOKEN}`, 204],
])('security: %s with %j %s is %d', async (security, headers, query, status) => {
  const response = await request(await serve(security))
    .get(`/a${query}`)
    .set(headers);
  expect(response.status).toBe(status);
  if (status !== 401) return;
  expectProblem(response, 401, /^send (?:one valid bearer token|a valid API key)/);
  expect(response.headers['www-authenticate']).toMatch(/^(?:Bearer|ApiKey) realm="/);
});

test.each<[string, Record<string, string>, string, string]>([
  [
    '[{ bearer: [] }, { header: [] }]',
    {},
    'Bearer realm="bearer", ApiKey realm="header"',
    'send one valid bearer token: Authorization: Bearer <ACCESS_TOKEN>, or send a valid API key: header X-Key',
  ],
  [
    '[{ header: [] }, { bearer: [] }, { header: [] }]',
    { Authorization: 'Bearer nope' },
    'ApiKey realm="header", Bearer realm="bearer", error="invalid_token"',
    'send a valid API key: header X-Key, or send one valid bearer token: Authorization: Bearer <ACCESS_TOKEN>',
  ],
  [
    '[{ query: [], bearer: [] }, { cookie: [] }]',
    {},
    'ApiKey realm="query", ApiKey realm="cookie"',
    'send a valid API key: query key, or send a valid API key: cookie session',
  ],
])(
  'security: the 401 of %s with %j has a challenge for each alternative',
  async (security, headers, challenge, detail) => {
    const response = await request(await serve(security))
      .get('/a')
      .set(headers);
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, challenge]);
    expect(response.body).toMatchObject({ detail });
  },
);
