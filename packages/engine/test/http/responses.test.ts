import type { ServerResponse } from 'node:http';
import request from 'supertest';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

async function reply(responses: string, answer: AnyReply, method: 'get' | 'head' = 'get') {
  const contract = await contractOf(documentOf('/a', 'get', `responses:\n${responses.replaceAll(/^/gm, '  ')}`));
  const { app, logged } = await createTestApp({
    failures: { opDefault: () => ({}) },
    contract,
    handlers: { op: async () => answer },
  });
  const response = await request(app)[method]('/a').buffer(true);
  return { response, problem: JSON.stringify(logged.find(({ level }) => level === 50) ?? '') };
}
const TEXT = "'200': { description: x, content: { text/plain: { schema: { type: string } } } }";
const BOTH = "'200': { description: x, content: { application/json: { schema: { type: object } }, image/*: {} } }";
const HEADERS = `'201':
  description: x
  headers:
    Location: { required: true, schema: { type: string } }
    X-Count: { schema: { type: integer } }`;

test('responses: 204 has neither body nor Content-Length nor Content-Type', async () => {
  const { response } = await reply("'204': { description: x }", { status: 204 });
  expect(response.status).toBe(204);
  expect(Object.keys(response.headers)).toEqual(expect.not.arrayContaining(['content-length', 'content-type']));
});

test('responses: text, with a charset if the handler sets it', async () => {
  const { response } = await reply(TEXT, { status: 200, contentType: 'text/plain; charset=utf-8', body: 'é' });
  expect([response.status, response.text, response.headers['content-type']]).toEqual([
    200,
    'é',
    'text/plain; charset=utf-8',
  ]);
});

test.each<[string, unknown, number, RegExp]>([
  ['{ type: integer, maximum: 5 }', 3, 200, /^3$/],
  ['{ type: integer, format: int64 }', 9_007_199_254_740_993n, 200, /^9007199254740993$/],
  ['{ type: integer, format: int64 }', 9_223_372_036_854_775_807n, 200, /^9223372036854775807$/],
  ['{ type: integer, format: int64 }', -9_223_372_036_854_775_808n, 200, /^-9223372036854775808$/],
  ['{ type: integer, format: int64 }', 9_223_372_036_854_775_808n, 500, /failed to answer/],
  ['{ type: integer, format: int64 }', -9_223_372_036_854_775_809n, 500, /failed to answer/],
  ['{ type: integer }', 10n ** 30n, 200, /^10{30}$/],
  ['{ type: integer, maximum: 18446744073709551615 }', 18_446_744_073_709_551_615n, 200, /^18446744073709551615$/],
  ['{ type: integer, maximum: 18446744073709551615 }', 18_446_744_073_709_551_616n, 500, /failed to answer/],
  ['{ type: boolean }', Buffer.from('true'), 200, /^true$/],
  ['{ type: integer, maximum: 5 }', 9, 500, /failed to answer/],
  ['{ type: boolean }', 'x', 500, /failed to answer/],
  ['{ type: string, enum: [a] }', 'b', 500, /failed to answer/],
])('responses: text/plain with the schema %s: the reply %p is answered %i', async (schema, body, status, text) => {
  const content = `'200': { description: x, content: { text/plain: { schema: ${schema} } } }`;
  const { response } = await reply(content, { status: 200, body });
  expect(response.status).toBe(status);
  expect(response.text).toMatch(text);
});

test('responses: bytes, as a Blob or as a Uint8Array, in a range of media types', async () => {
  for (const body of [new Blob(['abc']), Buffer.from('abc')]) {
    const { response } = await reply(BOTH, { status: 200, contentType: 'image/webp', body });
    expect([response.status, String(response.body), response.headers['content-type']]).toEqual([
      200,
      'abc',
      'image/webp',
    ]);
  }
});

test('responses: headers are written as strings', async () => {
  const headers = { Location: '/a/1', 'X-Count': 0, 'X-Unset': undefined };
  const { response } = await reply(HEADERS, { status: 201, headers });
  expect(response.headers).toMatchObject({ location: '/a/1', 'x-count': '0', 'content-length': '0' });
  expect(response.headers).not.toHaveProperty('x-unset');
});

test('responses: headers that are lists, objects or JSON', async () => {
  const object = 'schema: { type: object, properties: { a: { type: integer, format: int64 } } }';
  const documented = `'204':
  description: x
  headers:
    X-List: { schema: { type: array, items: { type: integer } } }
    X-Object: { ${object} }
    X-Exploded: { explode: true, ${object} }
    X-Json: { content: { application/json: { ${object} } } }`;
  const value = { a: 9007199254740993n, b: 'x' };
  const headers = { 'X-List': [1, 2], 'X-Object': value, 'X-Exploded': value, 'X-Json': value };
  const { response } = await reply(documented, { status: 204, headers });
  expect(response.headers).toMatchObject({
    'x-list': '1,2',
    'x-object': 'a,9007199254740993,b,x',
    'x-exploded': 'a=9007199254740993,b=x',
    'x-json': '{"a":9007199254740993,"b":"x"}',
  });
  for (const [a, problem] of [
    ['x', /headers\/x-json\/a must be integer/],
    [2n ** 63n, /headers\/x-json\/a must match format/],
  ] as const) {
    const wrong = { status: 204, headers: { 'X-Json': { a } } };
    expect((await reply(documented, wrong)).problem).toMatch(problem);
  }
});

test('responses: each cookie has its own Set-Cookie field', async () => {
  const documented = `'204':
  description: x
  headers: { Set-Cookie: { schema: { type: array, items: { type: string } } } }`;
  const cookies = ['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'];
  const { response } = await reply(documented, { status: 204, headers: { 'Set-Cookie': cookies } });
  expect(response.headers['set-cookie']).toEqual(cookies);
});

test('responses: Set-Cookie and Vary of middleware and of the reply are both sent', async () => {
  const responses = `responses: { '204': { description: x, headers: {
    Set-Cookie: { schema: { type: array, items: { type: string } } }, Vary: { schema: { type: string } } } } }`;
  const contract = await contractOf(documentOf('/a', 'get', responses));
  const headers = { 'Set-Cookie': ['b=2', 'c=3'], Vary: 'Accept' };
  const session = (_req: unknown, res: ServerResponse, next: () => void) => {
    res.appendHeader('Set-Cookie', 'a=1').appendHeader('Vary', 'Origin');
    next();
  };
  const op = async () => ({ status: 204, headers });
  const { app } = await createTestApp({ contract, handlers: { op }, middleware: [session] });
  const response = await request(app).get('/a');
  expect(response.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2', 'c=3'], vary: 'Origin, Accept' });
});

const NOTE = `'200':
  description: x
  headers: { X-Note: { schema: { type: string } } }
  content: { text/plain: { schema: { type: string } }, text/csv: {} }`;

test.each<[string, object, 'get' | 'head']>([
  ['GET of a text', { contentType: 'text/plain', body: 'é' }, 'get'],
  ['HEAD of a text', { contentType: 'text/plain', body: 'é' }, 'head'],
  ['GET of bytes', { contentType: 'text/csv', body: Buffer.from('é') }, 'get'],
  ['GET of a stream', { contentType: 'text/csv', body: new Blob(['é']) }, 'get'],
  ['HEAD of a stream', { contentType: 'text/csv', body: new Blob(['é']) }, 'head'],
])('responses: header values are encoded in Latin-1: %s', async (_name, answer, method) => {
  const { response } = await reply(NOTE, { status: 200, headers: { 'X-Note': 'Füße' }, ...answer }, method);
  expect(response.headers['x-note']).toBe('Füße'); // Node decodes Latin-1.
  if (method === 'get') expect(response.text).toBe('é');
});

const CLOSED = `'200': { description: x, content: { application/json: { schema: {
  type: object, additionalProperties: false, properties: { a: { type: integer } } } } } }`;

test.each<[string, unknown, object]>([
  ['a member without a value', { a: 1, none: undefined }, { a: 1 }],
  ['an optional member without a value', { a: undefined }, {}],
  ['a function', { a: 1, toString: () => 'x' }, { a: 1 }],
  ['an object with toJSON', { toJSON: () => ({ a: 1n, none: undefined }) }, { a: 1 }],
])('responses: a reply is validated as the JSON that is sent: %s', async (_name, body, sent) => {
  const { response } = await reply(CLOSED, { status: 200, body });
  expect([response.status, response.body]).toEqual([200, sent]);
});

test('responses: HEAD is served from GET, without the body', async () => {
  const { response } = await reply(TEXT, { status: 200, body: 'abc' }, 'head');
  expect([response.status, response.text, response.headers['content-length']]).toEqual([200, undefined, '3']);
});

test.each(['2XX', '2xx'])('responses: a range of statuses (%s) and default', async (range) => {
  const ranges = `'${range}': { description: x }\n'404': { description: x }\ndefault: { description: x, content: { application/json: { schema: { type: object } } } }`;
  expect((await reply(ranges, { status: 202 })).response.status).toBe(202);
  expect((await reply(ranges, { status: 404 })).response.status).toBe(404);
  expect((await reply(ranges, { status: 409, body: {} })).response.status).toBe(409);
});

test.each<[string, string, AnyReply, RegExp]>([
  ['a header is missing', HEADERS, { status: 201 }, /needs the header location/],
  [
    'the response has an undocumented body',
    HEADERS,
    { status: 201, headers: { Location: 'x' }, body: {} },
    /must not have a body/,
  ],
  [
    'the media type differs',
    TEXT,
    { status: 200, contentType: 'text/html', body: '' },
    /must not have the media type text\/html/,
  ],
  [
    'the media type is missing',
    "'200': { description: x, content: { image/*: {} } }",
    { status: 200, body: Buffer.from('') },
    /without a wildcard/,
  ],
  ['a text is not a string', TEXT, { status: 200, body: 1 }, /needs a string, bytes or a Blob/],
  [
    'a text does not fit its schema',
    "'200': { description: x, content: { text/plain: { schema: { type: string, enum: [a] } } } }",
    { status: 200, body: 'b' },
    /must be equal to one of the allowed values: a/,
  ],
  [
    'a header does not fit its schema',
    HEADERS,
    { status: 201, headers: { Location: 'x', 'x-count': 1.5 } },
    /headers\/x-count must be integer/,
  ],
  [
    'an object has other JSON',
    CLOSED,
    { status: 200, body: { toJSON: () => ({ secret: 1 }) } },
    /additional properties/,
  ],
  [
    'a header has text that is not Latin-1',
    NOTE,
    { status: 200, headers: { 'X-Note': '☃' }, body: '' },
    /the header x-note cannot/,
  ],
  [
    'a header has a line break',
    NOTE,
    { status: 200, headers: { 'X-Note': 'a\r\nb: c' }, body: '' },
    /the header x-note cannot/,
  ],
  ['the status is not final', "'1XX': { description: x }", { status: 101 }, /the status 101 is not from 200 to 599/],
  ['the status is outside every range', "'2XX': { description: x }", { status: 302 }, /302 is not documented/],
])('responses: 500 when %s', async (_name, responses, answer, cause) => {
  const { response, problem } = await reply(responses, answer);
  expectProblem(response, 500, /failed/);
  expect(problem).toMatch(cause);
});
