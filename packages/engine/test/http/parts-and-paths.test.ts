import request from 'supertest';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf, warningsOf } from '@contract-first/testing/contract.ts';
import { serveBody } from './support/serve-body.ts';

const NO_CONTENT = "responses: { '204': { description: Done. } }";
const BOUNDARY = 'multipart/form-data; boundary=x';

/** Returns a multipart body with one part. */
const part = (headers: string, content: string): string =>
  `--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n--x--\r\n`;
const file = (content: string): string => part('name="photo"; filename="a"\r\nContent-Type: image/png', content);

const PROPERTIES = `{ photo: { type: string, format: binary }, note: { type: string }, tags: { type: array, items: { type: string } }, size: { type: object, properties: { width: { type: integer, format: int64 } } } }`;
const ENCODING = `{ photo: { contentType: 'image/*, application/pdf' }, note: { contentType: application/json }, tags: { contentType: application/json }, size: { contentType: application/json } }`;
const UPLOAD = `{ content: { multipart/form-data: { schema: { type: object, properties: ${PROPERTIES} }, encoding: ${ENCODING} } } }`;

test.each<[string, string, object]>([
  ['a range', part('name="photo"; filename="a"\r\nContent-Type: image/png', 'x'), { photo: expect.any(File) }],
  [
    'a list',
    part('name="photo"; filename="a"\r\nContent-Type: application/pdf', 'x'),
    { photo: expect.objectContaining({ type: 'application/pdf' }) },
  ],
  ['a string as JSON', part('name="note"\r\nContent-Type: application/json', '"a\\n"'), { note: 'a\n' }],
  ['an item of a list as JSON', part('name="tags"\r\nContent-Type: application/json', '"a"'), { tags: ['a'] }],
  [
    'an object as JSON, sent as a file',
    part('name="size"; filename="blob"\r\nContent-Type: application/json; charset=utf-8', '{"width":9007199254740993}'),
    { size: { width: 9007199254740993n } },
  ],
])('the encoding of a form: %s', async (_name, body, value) => {
  const { send, received } = await serveBody(UPLOAD);
  expect((await send(BOUNDARY, body)).status).toBe(204);
  expect(received[0]?.body).toEqual(value);
});

test.each<[string, RegExp]>([
  [
    part('name="photo"; filename="a"\r\nContent-Type: text/html', 'x'),
    /^body\/photo must have the Content-Type image\/\* or application\/pdf, not text\/html$/,
  ],
  [
    part('name="photo"; filename="a"\r\nContent-Type: image/*', 'x'),
    /^body\/photo must have the Content-Type image\/\* or application\/pdf, not image\/\*$/,
  ],
  [
    part('name="other"; filename="a"\r\nContent-Type: image/*', 'x'),
    /^body\/other must have a media type as its Content-Type, not image\/\*$/,
  ],
  [part('name="size"', '{}'), /^body\/size must have the Content-Type application\/json, not text\/plain$/],
  [part('name="note"\r\nContent-Type: application/json', 'x'), /^body\/note must be valid JSON$/],
  [part('name="note"\r\nContent-Type: application/json', '1'), /^body\/note must be string$/],
])('the encoding of a form: 400: %j', async (body, message) => {
  const { send, received } = await serveBody(UPLOAD);
  expectProblem(await send(BOUNDARY, body), 400, message);
  expect(received).toEqual([]);
});

test.each([
  [
    'multipart/form-data',
    'a: { headers: { X-Sum: { required: true, schema: {} } } }',
    /headers of the part are not checked: X-Sum/,
  ],
  [
    'application/x-www-form-urlencoded',
    'a: { style: deepObject, explode: true }',
    /style of the field is not supported/,
  ],
  ['application/x-www-form-urlencoded', 'a: { contentType: image/png }', /contentType of the field is not checked/],
])(
  'the encoding of a form: a warning names the part that is not checked: %s { %s }',
  async (mediaType, encoding, warning) => {
    const body = `requestBody: { content: { ${mediaType}: { schema: { type: object }, encoding: { ${encoding} } } } }`;
    expect(await warningsOf(documentOf('/a', 'post', `${body}\n${NO_CONTENT}`))).toMatch(warning);
  },
);

const LIMITS = 'minLength: 2, maxLength: 4';
const FILES = `multipart/form-data: { schema: { type: object, properties: { photo: { allOf: [{ type: string, format: binary, ${LIMITS}, pattern: '^a' }] } } } }`;
test.each([
  ['a file', FILES, BOUNDARY, file],
  ['a body', `image/png: { schema: { type: string, ${LIMITS} } }`, 'image/png', (content: string) => content],
  ['a body of a range', `'*/*': { schema: { type: string, ${LIMITS} } }`, 'image/png', (content: string) => content],
])(
  'the length of bytes is their size: 400 for %s that is too small or too large',
  async (_name, content, contentType, wrap) => {
    const { send } = await serveBody(`{ required: true, content: { ${content} } }`);
    for (const text of ['éé', 'aa', 'aaa'])
      expect([text, (await send(contentType, wrap(text))).status]).toEqual([text, 204]);
    expectProblem(await send(contentType, wrap('a')), 400, /^body(?:\/photo)? must not be smaller than 2 bytes$/);
    expectProblem(await send(contentType, wrap('ééa')), 400, /^body(?:\/photo)? must not be larger than 4 bytes$/);
  },
);

test('the length of bytes is their size: 500 for a reply that is too large', async () => {
  const content = `content: { image/png: { schema: { type: string, format: binary, ${LIMITS} } } }`;
  const contract = await contractOf(documentOf('/a', 'get', `responses: { '200': { description: x, ${content} } }`));
  const serve = async (body: unknown) => {
    const op = (): Promise<AnyReply> => Promise.resolve({ status: 200, body });
    const { app, logged } = await createTestApp({ contract, handlers: { op } });
    return { response: await request(app).get('/a'), logged: JSON.stringify(logged) };
  };
  for (const body of ['éé', Buffer.alloc(4), new Blob(['ab'])]) expect((await serve(body)).response.status).toBe(200);
  for (const body of ['ééa', Buffer.alloc(5), new Blob(['abcde'])]) {
    const { response, logged } = await serve(body);
    expectProblem(response, 500, /failed/);
    expect(logged).toMatch(/has a body that must not be larger than 4 bytes/);
  }
});

test.each([
  ['image/png', 'type: string, format: binary', 1],
  ['image/png', 'type: string', 1],
  ['application/json', 'type: string, format: binary', 1],
  ['application/json', 'type: string', 0],
])(
  'the length of bytes is their size: a warning names a pattern of %s with %s: %i',
  async (mediaType, schema, count) => {
    const body = `requestBody: { content: { ${mediaType}: { schema: { ${schema}, pattern: '^a' } } } }`;
    const warnings = await warningsOf(documentOf('/a', 'post', `${body}\n${NO_CONTENT}`));
    expect(warnings.match(/a pattern of bytes is not checked/g) ?? []).toHaveLength(count);
  },
);

/** Serves GET operations by path, which return their path parameters. */
async function servePaths(paths: string, rest = '') {
  const text = `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
${rest}
paths:
${paths}`;
  const contract = await contractOf(text);
  const echo = async ({ path }: { readonly path: object }): Promise<AnyReply> => ({ status: 200, body: path });
  const handlers = Object.fromEntries(Object.keys(contract.operations).map((name) => [name, echo]));
  const { app } = await createTestApp({ contract, handlers });
  return async (path: string) => {
    const { status, text: body } = await request(app).get(path);
    return status === 200 ? body : status;
  };
}
const OK = "responses: { '200': { description: x, content: { application/json: {} } } }";
const ID = '{ name: id, in: path, required: true, schema: { type: string } }';

test('the paths of servers: every value of a variable is served, and any value without an enum, as one segment', async () => {
  const get = await servePaths(
    `  /a/{id}: { get: { parameters: [${ID}], ${OK} } }\n  /b: { servers: [{ url: ../x/ }], get: { ${OK} } }`,
    `servers:
  - { url: 'https://{host}.example.org/{version}/{tenant}', variables: { host: { default: a, enum: [a, b] }, version: { default: v1, enum: [v1, v2] }, tenant: { default: us } } }
  - { url: '{all}', variables: { all: { default: 'https://example.org/all' } } }`,
  );
  const served = ['/v1/us/a/1', '/v2/us/a/1', '/v2/other/a/1', '/all/a/1'];
  expect(await Promise.all(served.map(get))).toEqual(served.map(() => '{"id":"1"}'));
  const missing = ['/v3/us/a/1', '/v1/us/x/a/1', '/v1/a/1', '/a/1', '/other/a/1', '/b', '/v1/us/b'];
  expect(await Promise.all(missing.map(get))).toEqual(missing.map(() => 404));
  expect(await get('/x/b')).toBe('{}');
});

test('the paths of servers: a server path with variables does not shadow an operation', async () => {
  const get = await servePaths(
    `  /{id}: { get: { parameters: [${ID}], ${OK} } }\n  /{id}/{id2}: { get: { parameters: [${ID}, ${ID.replace('id', 'id2')}], ${OK} } }`,
    `servers: [{ url: '/{tenant}', variables: { tenant: { default: us } } }, { url: / }]`,
  );
  expect([await get('/us/1'), await get('/other/1')]).toEqual(['{"id":"1"}', '{"id":"other","id2":"1"}']);
});

test('an asterisk in a path is a literal', async () => {
  const get = await servePaths(`  /a/*/b: { get: { ${OK} } }`);
  expect([await get('/a/*/b'), await get('/a/%2A/b'), await get('/a/x/b'), await get('/a/x/y/b')]).toEqual([
    '{}',
    '{}',
    404,
    404,
  ]);
});

test('if path templates differ only in parameter names, the first with the method is served', async () => {
  const other = ID.replace('id', 'x');
  const paths = (method: string): string =>
    `  /a/{id}: { get: { operationId: read, parameters: [${ID}], ${OK} } }\n  /a/{x}: { ${method}: { operationId: write, parameters: [${other}], ${OK} } }`;
  const text = (method: string): string =>
    `openapi: 3.1.0\ninfo: { title: Test, version: 1.0.0 }\nsecurity: []\npaths:\n${paths(method)}`;
  const { app } = await createTestApp({
    contract: await contractOf(text('put')),
    handlers: {
      read: async () => ({ status: 200, body: 1 }),
      write: async ({ path }: { path: object }) => ({ status: 200, body: path }),
    },
  });
  expect((await request(app).put('/a/7')).body).toEqual({ x: '7' });
  expect((await request(app).get('/a/7')).body).toBe(1);
  expect(Object.keys((await contractOf(text('get'))).operations)).toEqual(['read']);
});
