import request from 'supertest';
import type { Credentials } from '../../src/auth/credentials.ts';
import type { AnyHandler } from '../../src/http/handle/call-handler.ts';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { contractOf } from '@contract-first/testing/contract.ts';

/** Returns a document with one operation, in flow style. */
const document = (path: string, operation: string, rest = ''): string => `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
paths:
  ${path}:
    get: { operationId: op, responses: { '204': { description: Done. } }, ${operation} }
${rest}`;

/** Serves a document. `requests` contains the requests that the handler received. */
async function serve(text: string, overrides = {}) {
  const requests: unknown[] = [];
  const op: AnyHandler = (received) => {
    requests.push(received);
    return Promise.resolve({ status: 204 });
  };
  const { app, logged } = await createTestApp({ contract: await contractOf(text), handlers: { op }, ...overrides });
  return { app, logged, requests };
}

test.each([
  ['label', 'type: string', '.blue', 'blue'],
  ['label', 'type: array, items: { type: integer }', '.1,2', [1, 2]],
  ['matrix', 'type: integer', ';p=7', 7],
  ['matrix', 'type: array, items: { type: integer }', ';p=1,2', [1, 2]],
  ['simple', 'type: object, properties: { a: { type: integer } }', 'a,1', { a: 1 }],
])('path parameters are read in every style: %s { %s } %s', async (style, schema, text, value) => {
  const parameter = `{ name: p, in: path, required: true, style: ${style}, schema: { ${schema} } }`;
  const { app, requests } = await serve(document('/a/{p}', `parameters: [${parameter}]`));
  expect((await request(app).get(`/a/${text}`)).status).toBe(204);
  expect(requests).toMatchObject([{ path: { p: value } }]);
});

test.each([
  ['label', 'type: array, items: { type: integer }', '.1.2', [1, 2]],
  ['matrix', 'type: array, items: { type: integer }', ';p=1;p=2', [1, 2]],
  ['matrix', 'type: object, properties: { a: { type: integer } }', ';a=1', { a: 1 }],
])('path parameters are read in every style: exploded: %s { %s } %s', async (style, schema, text, value) => {
  const parameter = `{ name: p, in: path, required: true, style: ${style}, explode: true, schema: { ${schema} } }`;
  const { app, requests } = await serve(document('/a/{p}', `parameters: [${parameter}]`));
  expect((await request(app).get(`/a/${text}`)).status).toBe(204);
  expect(requests).toMatchObject([{ path: { p: value } }]);
});

const TEXTS = '{ type: array, items: { type: string } }';
const PAIR = '{ type: object, properties: { a: { type: string }, b: { type: string } } }';
test.each<[string, boolean, string, string, unknown]>([
  ['simple', false, TEXTS, 'a%2Cb,c', ['a,b', 'c']],
  ['simple', true, TEXTS, 'a%2cb,c%252C', ['a,b', 'c%2C']],
  ['simple', false, PAIR, 'a,x%2Cy,b,z', { a: 'x,y', b: 'z' }],
  ['simple', true, PAIR, 'a=x%2Cb%3Dy,b=z', { a: 'x,b=y', b: 'z' }],
  ['label', false, TEXTS, '.a%2Cb,c', ['a,b', 'c']],
  ['label', true, TEXTS, '.a%2Eb.c', ['a.b', 'c']],
  ['label', true, PAIR, '.a=x%2Ey.b=z', { a: 'x.y', b: 'z' }],
  ['matrix', false, TEXTS, ';p=a%2Cb,%3B', ['a,b', ';']],
  ['matrix', true, TEXTS, ';p=a%3Bp%3Db;%70=c', ['a;p=b', 'c']],
  ['matrix', true, PAIR, ';a=x%3By;b', { a: 'x;y', b: '' }],
  ['simple', false, '{ type: string }', 'a%2Cb%2Fc,d', 'a,b/c,d'],
])(
  'an encoded delimiter in a path is part of a value: %s, exploded: %s, %s %s',
  async (style, explode, schema, text, value) => {
    const parameter = `{ name: p, in: path, required: true, style: ${style}, explode: ${String(explode)}, schema: ${schema} }`;
    const { app, requests } = await serve(document('/a/{p}', `parameters: [${parameter}]`));
    expect((await request(app).get(`/a/${text}`)).status).toBe(204);
    expect(requests).toMatchObject([{ path: { p: value } }]);
  },
);

test('an encoded delimiter in a path is part of a value: 404 for bytes that are not UTF-8', async () => {
  const parameter = `{ name: p, in: path, required: true, schema: ${TEXTS} }`;
  const { app } = await serve(document('/a/{p}', `parameters: [${parameter}]`));
  for (const text of ['a,%ff', 'a,%', '%C3,%A9']) expectProblem(await request(app).get(`/a/${text}`), 404, /exist/);
});

const LIST = '{ type: array, items: { type: integer } }';
const OBJECT = '{ type: object, properties: { a: { type: integer } } }';
test.each([
  ['matrix', true, LIST, ';p=1;q=2', /^path parameter p must have only items named p$/],
  ['label', true, OBJECT, '.a', /^path parameter p must consist of names and values: name=value$/],
  ['label', true, OBJECT, '.a=1.a=2', /^path parameter p must not repeat a$/],
  ['matrix', false, OBJECT, ';p=a,1,b', /^path parameter p must consist of names and values: name,value$/],
  ['simple', false, OBJECT, 'a,1,a,2', /^path parameter p must not repeat a$/],
  ['simple', false, OBJECT, 'a,x', /^path parameter p\/a must be integer$/],
])(
  'path parameters are read in every style: 400: %s, exploded: %s, %s %s',
  async (style, explode, schema, text, message) => {
    const parameter = `{ name: p, in: path, required: true, style: ${style}, explode: ${String(explode)}, schema: ${schema} }`;
    const { app } = await serve(document('/a/{p}', `parameters: [${parameter}]`));
    expectProblem(await request(app).get(`/a/${text}`), 400, message);
  },
);

test('path parameters are read in every style: 400 without the prefix of the style', async () => {
  const parameter = '{ name: p, in: path, required: true, style: matrix, schema: { type: string } }';
  const { app } = await serve(document('/a/{p}', `parameters: [${parameter}]`));
  expectProblem(await request(app).get('/a/blue'), 400, /^path parameter p must begin with ;p=$/);
});

test.each([
  ['?p=', 204, {}],
  ['?p', 204, {}],
  ['?p=7', 204, { p: 7 }],
  ['?p=&p=', 400, undefined],
  ['?q=', 400, undefined],
])(
  'an empty value of an integer stands for none where the document allows it: %s is %i',
  async (query, status, values) => {
    const integer = (name: string, rest = ''): string =>
      `{ name: ${name}, in: query, ${rest}schema: { type: integer } }`;
    const parameters = `parameters: [${integer('p', 'allowEmptyValue: true, ')}, ${integer('q')}]`;
    const { app, requests } = await serve(document('/a', parameters));
    expect((await request(app).get(`/a${query}`)).status).toBe(status);
    expect(requests).toEqual(values === undefined ? [] : [expect.objectContaining({ query: values })]);
  },
);

test('a list of objects in a query is JSON, and 400 when it does not conform', async () => {
  const schema = '{ type: array, items: { type: object, required: [a], properties: { a: { type: integer } } } }';
  const { app, requests } = await serve(document('/a', `parameters: [{ name: p, in: query, schema: ${schema} }]`));
  expect(
    (
      await request(app)
        .get('/a')
        .query({ p: ['{"a":1}', '{"a":2}'] })
    ).status,
  ).toBe(204);
  expect(requests).toMatchObject([{ query: { p: [{ a: 1 }, { a: 2 }] } }]);
  expectProblem(await request(app).get('/a').query({ p: '{"a":"x"}' }), 400, /query\/p\/0\/a must be integer/);
  expectProblem(await request(app).get('/a').query({ p: '{' }), 400, /p\/0 must be valid JSON/);
});

test.each<[string, object | RegExp]>([
  ['p[l]=1&p[l]=2', { l: [1, 2] }],
  ['p[l]=1', { l: [1] }],
  ['p[l]=[1,2]', { l: [1, 2] }],
  ['p[l]=1&p[l]=x', /^query parameter p\/l\/1 must be integer$/],
  ['p[l]=x', /^query parameter p\/l\/0 must be integer$/],
  ['p[l]=1&p[l]=2&p[l]=3', /^query\/p\/l must NOT have more than 2 items$/],
  ['p[s]=1', { s: 1 }],
  ['p[s]=1&p[s]=2', { s: [1, 2] }],
  ['p[a]=1&p[a]=2', /^query parameter p must not repeat a$/],
])('a list in a deepObject is repeated or JSON: ?%s', async (query, expected) => {
  const list = 'type: array, items: { type: integer }';
  const properties = `{ a: { type: integer }, l: { ${list}, maxItems: 2 }, s: { oneOf: [{ type: integer }, { ${list} }] } }`;
  const schema = `{ type: object, properties: ${properties} }`;
  const { app, requests } = await serve(
    document('/a', `parameters: [{ name: p, in: query, style: deepObject, schema: ${schema} }]`),
  );
  const response = await request(app).get(`/a?${query}`);
  if (expected instanceof RegExp) expectProblem(response, 400, expected);
  else
    expect({ status: response.status, requests }).toMatchObject({
      status: 204,
      requests: [{ query: { p: expected } }],
    });
});

test.each([
  ['style: deepObject, explode: true', 'p[a]=1', 'p[a]=1&p[a]=2'],
  ['explode: true', 'a=1', 'a=1&a=2'],
  ['explode: false', 'p=a,1', 'p=a,1,a,2'],
])('an object in a query, { %s }, does not repeat a member', async (style, valid, invalid) => {
  const schema = '{ type: object, properties: { a: { type: integer } } }';
  const { app, requests } = await serve(
    document('/a', `parameters: [{ name: p, in: query, ${style}, schema: ${schema} }]`),
  );
  expect((await request(app).get(`/a?${valid}`)).status).toBe(204);
  expect(requests).toMatchObject([{ query: { p: { a: 1 } } }]);
  expectProblem(await request(app).get(`/a?${invalid}`), 400, /^query parameter p must not repeat a$/);
});

test("an operation is served below its own servers only, and the logged route includes the server's path", async () => {
  const { app, logged } = await serve(document('/a', 'servers: [{ url: /v2 }]', 'servers: [{ url: /v1 }]'));
  expect((await request(app).get('/v2/a')).status).toBe(204);
  expect((await request(app).get('/v1/a')).status).toBe(404);
  expect(logged.map(({ route }) => route)).toEqual(['/v2/a', undefined]);
});

const failing = (response: string): string =>
  document('/a', 'parameters: [{ name: n, in: query, schema: { type: integer } }]').replace(
    "'204'",
    `'400': { description: No.${response} }, '204'`,
  );

test('failures are sent as documented: text, rendered by the application', async () => {
  const text = failing(', content: { text/plain: { schema: { type: string } } }');
  const failures = { op400: ({ message }: { message: string }) => `Sorry: ${message}` };
  const { app } = await serve(text, { failures });
  const response = await request(app).get('/a?n=x');
  expect([response.status, response.type, response.text]).toEqual([
    400,
    'text/plain',
    expect.stringMatching(/^Sorry: /),
  ]);
});

test('failures are sent as documented: without a function that renders them, a production start is refused', async () => {
  const text = failing(', content: { text/plain: { schema: { type: string } } }');
  await expect(serve(text)).rejects.toThrow(/^no function for the failures op400: NODE_ENV=production needs/);
});

test('failures are sent as documented: an undocumented failure has the most common format of the document', async () => {
  const problem = 'application/problem+json: { schema: { type: object, required: [detail] } }';
  const failures = { op400: ({ message }: { message: string }) => ({ detail: message, own: true }) };
  const { app } = await serve(failing(`, content: { ${problem} }`), { failures });
  const response = await request(app).get('/nowhere');
  expect([response.status, response.type]).toEqual([404, 'application/problem+json']);
  expect(response.body).toEqual({ detail: expect.any(String), own: true });
});

test('failures are sent as documented: without content', async () => {
  const { app } = await serve(failing(''));
  const response = await request(app).get('/a?n=x');
  expect([response.status, response.text]).toEqual([400, '']);
});

test('failures are sent as documented: with headers of the application', async () => {
  const text = failing(', headers: { X-Server: { required: true, schema: { type: integer } } }');
  const failureHeaders = ({ status }: { status: number }) => ({ 'X-Server': status === 400 ? 7 : 'none' });
  const { app } = await serve(text, { failureHeaders });
  const response = await request(app).get('/a?n=x');
  expect([response.status, response.headers['x-server']]).toEqual([400, '7']);
  expect((await request(app).get('/nowhere')).headers).not.toHaveProperty('x-server');
  const { app: other } = await serve(text, { failureHeaders: () => ({ 'X-Server': 'none' }) });
  expectProblem(await request(other).get('/a?n=x'), 500, /^The service failed to answer this request$/);
});

test('failures are sent as documented: 500 when the rendered body does not conform', async () => {
  const text = failing(', content: { application/json: { schema: { type: object, required: [why] } } }');
  const { app } = await serve(text, { failures: { op400: () => ({}) } });
  expectProblem(await request(app).get('/a?n=x'), 500, /^The service failed to answer this request$/);
});

const scheme = (text: string, requirement: string): string =>
  document('/a', `security: [${requirement}]`, `components: { securitySchemes: { s: ${text} } }`);

test('security schemes: the application checks other schemes: 401 with the challenge, then the caller', async () => {
  const checkers = {
    s: ({ authorization = '' }) => (authorization === 'Basic eDp5' ? { name: 'x', claims: { team: 1 } } : undefined),
  };
  const { app, requests } = await serve(scheme('{ type: http, scheme: basic }', '{ s: [] }'), { checkers });
  const refused = await request(app).get('/a');
  expectProblem(refused, 401, /^send valid Basic credentials$/);
  expect(refused.headers['www-authenticate']).toBe('Basic realm="s"');
  expect((await request(app).get('/a').set('Authorization', 'Basic eDp5')).status).toBe(204);
  expect(requests).toMatchObject([{ caller: { name: 'x', scheme: 's', claims: { team: 1 } } }]);
});

test('security schemes: a checker reads headers, the query and cookies with functions that can be destructured', async () => {
  const checkers = {
    s: ({ header, query, cookie }: Credentials) =>
      header('X-Key') === 'a' || query('key') === 'b' || cookie('key') === 'c' ? { name: 'x' } : undefined,
  };
  const { app } = await serve(scheme('{ type: apiKey, in: query, name: key }', '{ s: [] }'), { checkers });
  expect((await request(app).get('/a').set('X-Key', 'a')).status).toBe(204);
  expect((await request(app).get('/a?key=b')).status).toBe(204);
  expect((await request(app).get('/a').set('Cookie', 'key=c')).status).toBe(204);
  expect((await request(app).get('/a')).status).toBe(401);
});

test('security schemes: 403 when the credentials lack a scope; no scope is granted by default', async () => {
  const flows = '{ clientCredentials: { tokenUrl: https://example.org/t, scopes: { read: Read., write: Write. } } }';
  const text = scheme(`{ type: oauth2, flows: ${flows} }`, '{ s: [read, write] }');
  const granted: readonly (readonly string[] | undefined)[] = [['read', 'write', 'more'], ['read'], undefined];
  for (const scopes of granted) {
    const checkers = { s: () => ({ name: 'x', ...(scopes && { scopes }) }) };
    const { app } = await serve(text, { checkers });
    const response = await request(app).get('/a');
    if (scopes?.includes('write') === true) {
      expect(response.status).toBe(204);
      continue;
    }
    expectProblem(response, 403, /lack a scope/);
    expect(response.headers['www-authenticate']).toBe(
      'Bearer realm="s", error="insufficient_scope", scope="read write"',
    );
  }
});

test.each([
  ['a scope with a quote', '{ type: openIdConnect, openIdConnectUrl: https://example.org }', 'a"b', 403, 'Bearer'],
  ['a scope beyond Latin-1', '{ type: openIdConnect, openIdConnectUrl: https://example.org }', '読む', 403, 'Bearer'],
  ['a scope with a line feed', '{ type: openIdConnect, openIdConnectUrl: https://example.org }', 'a\nb', 403, 'Bearer'],
  ['a scheme that is no token', '{ type: http, scheme: "my scheme" }', '', 401, 'Unknown'],
  ['a scheme with a line feed', '{ type: http, scheme: "a\\r\\nX-Other: b" }', '', 401, 'Unknown'],
])('security schemes: a challenge has no text that a header field cannot have: %s', async (...row) => {
  const [, schemeText, scope, status, name] = row;
  const text = scheme(schemeText, `{ s: [${scope === '' ? '' : JSON.stringify(scope)}] }`);
  const { app } = await serve(text, { checkers: { s: () => (scope === '' ? undefined : { name: 'x' }) } });
  const response = await request(app).get('/a');
  expect(response.status).toBe(status);
  const error = status === 403 ? ', error="insufficient_scope"' : '';
  expect(response.headers['www-authenticate']).toBe(`${name} realm="s"${error}`);
});

test('security schemes: a configured token has every scope', async () => {
  const { app } = await serve(scheme('{ type: openIdConnect, openIdConnectUrl: https://example.org }', '{ s: [a] }'));
  expect((await request(app).get('/a').auth(TOKEN, { type: 'bearer' })).status).toBe(204);
  expect((await request(app).get('/a').auth('nope-nope', { type: 'bearer' })).status).toBe(401);
});

const body = (schema: string, schemas: string): string =>
  document('/a', 'x-none: 1', `components: { schemas: { ${schemas} } }`).replace(
    'get: { operationId: op,',
    `post: { operationId: op, requestBody: { required: true, content: { application/json: { schema: ${schema} } } },`,
  );
const members = Array.from({ length: 80 }, (_, index) => `m${String(index)}: { type: integer }`).join(', ');

test('defaults of an alternative that does not apply are not set', async () => {
  const one = `One: { type: object, properties: { kind: { const: one }, n: { default: 1 }, next: { $ref: '#/components/schemas/One' } } }`;
  const two = `Two: { type: object, properties: { kind: { const: two } }, additionalProperties: false }`;
  const alternatives = "{ anyOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }] }";
  const { app, requests } = await serve(body(alternatives, `${one}, ${two}`));
  expect((await request(app).post('/a').send({ kind: 'two' })).status).toBe(204);
  expect(requests).toMatchObject([{ body: { kind: 'two' } }]);
});

test('defaults of members with a large schema are set', async () => {
  const large = `{ type: object, properties: { large: { type: object, default: { m1: 1 }, properties: { ${members} } } } }`;
  const { app, requests } = await serve(body(large, ''));
  expect((await request(app).post('/a').send({})).status).toBe(204);
  expect(requests).toMatchObject([{ body: { large: { m1: 1 } } }]);
  expectProblem(
    await request(app)
      .post('/a')
      .send({ large: { m79: 'x' } }),
    400,
    /^body\/large\/m79 must be integer$/,
  );
});
