import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { FIELDS, serveBody } from './support/serve-body.ts';

const OPTIONAL = '{ content: { application/json: { schema: { type: object } } } }';

test('optional bodies: a missing body is undefined with any Content-Type', async () => {
  const { send, received } = await serveBody(OPTIONAL);
  expect((await send(undefined)).status).toBe(204);
  expect((await send('text/plain')).status).toBe(204);
  expect(received.map(({ body, contentType }) => [body, contentType])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test('optional bodies: a sent body is validated', async () => {
  const { send } = await serveBody(OPTIONAL);
  expectProblem(await send('application/json', '[]'), 400, /body must be object/);
  expectProblem(await send('text/plain', '{}'), 415, /application\/json/);
});

const SEVERAL = `{ required: true, content: {
    application/json: { schema: { type: object, required: [a], properties: { a: { type: integer } } } },
    application/merge-patch+json: { schema: { type: object, required: [b] } },
    application/x-www-form-urlencoded: { schema: ${FIELDS} },
    text/*: { schema: { type: string, maxLength: 5 } }, text/csv: { schema: { type: string } },
    image/png: {}, '*/*': { schema: { type: string, format: binary } } } }`;

test.each<[string, string, unknown]>([
  ['application/json', '{"a":1}', { a: 1 }],
  ['application/merge-patch+json; charset=utf-8', '{"b":1}', { b: 1 }],
  [
    'application/x-www-form-urlencoded',
    'name=a+b&count=0&ready=false&tags=x',
    { name: 'a b', count: 0, ready: false, tags: ['x'], level: 3 },
  ],
  ['text/plain', 'é🌿', 'é🌿'],
  ['text/csv', 'a,b,c,d,e', 'a,b,c,d,e'],
])('several media types: %s %s', async (contentType, body, value) => {
  const { send, received } = await serveBody(SEVERAL);
  expect((await send(contentType, body)).status).toBe(204);
  expect(received[0]).toMatchObject({ contentType, body: value });
});

const rangeOf = (range: string, schema: string) => `{ required: true, content: { '${range}': { schema: ${schema} } } }`;
const ITEM = '{ type: object, required: [a], properties: { a: { type: integer, format: int64, minimum: 1 } } }';

test.each([
  ['*/*', 'application/json'],
  ['application/*', 'application/merge-patch+json; charset=utf-8'],
])('JSON in a range is parsed and validated: %s %s', async (range, contentType) => {
  const { send, received } = await serveBody(rangeOf(range, ITEM));
  expect((await send(contentType, '{"a":9007199254740993}')).status).toBe(204);
  expect(received[0]).toMatchObject({ contentType, body: { a: 9_007_199_254_740_993n } });
  expectProblem(await send(contentType, '{"a":0}'), 400, /body\/a must be >= 1/);
  expectProblem(await send(contentType, '{"a'), 400, /is not valid JSON/);
  expectProblem(await send(contentType, ''), 400, /a request body is required/);
  expect((await send('application/pdf', '{"a":0}')).status).toBe(204);
  expect(received[1]?.body).toBeInstanceOf(Blob);
});

test.each(['{}', '{ description: Any. }', '{ type: string, format: binary }', '{ contentMediaType: application/pdf }'])(
  'JSON in a range is bytes where the schema describes no value: %s',
  async (schema) => {
    const { send, received } = await serveBody(rangeOf('*/*', schema));
    expect((await send('application/json', '{"a":1}')).status).toBe(204);
    expect(await (received[0]?.body as Blob).text()).toBe('{"a":1}');
  },
);

test('JSON without a suffix has the schema of application/*, not of application/*+json', async () => {
  const content = '{ application/*+json: { schema: { type: object } }, application/*: { schema: { type: integer } } }';
  const { send } = await serveBody(`{ content: ${content} }`);
  expect((await send('application/json', '1')).status).toBe(204);
  expectProblem(await send('application/a+json', '1'), 400, /body must be object/);
});

const textOf = (schema: string) => `{ content: { text/plain: { schema: ${schema} } } }`;

test.each<[string, string, unknown]>([
  ['{ type: integer, maximum: 5 }', '3', 3],
  ['{ type: integer, format: int64 }', '9007199254740993', 9_007_199_254_740_993n],
  ['{ type: [boolean, "null"] }', 'null', null],
  ['{ enum: [1, 2] }', '2', 2],
  ['{ type: [string, integer] }', '2', '2'],
  ['{ type: object }', '2', '2'],
])('text of a schema is converted: %s %s', async (schema, text, body) => {
  const { send, received } = await serveBody(textOf(schema));
  expect((await send('text/plain', text)).status).toBe(204);
  expect(received[0]?.body).toBe(body);
});

test.each([
  ['{ type: integer, maximum: 5 }', '9', /body must be <= 5/],
  ['{ type: integer, maximum: 5 }', 'x', /body must be integer/],
  ['{ type: integer, format: int64 }', '9223372036854775808', /body must be/],
  ['{ type: boolean }', '', /body must be boolean/],
  ['{ type: string, enum: [a, b] }', 'c', /body must be equal to one of/],
])('text of a schema is validated: %s %j', async (schema, text, message) => {
  const { send } = await serveBody(textOf(schema).replace('{ ', '{ required: true, '));
  expectProblem(await send('text/plain', text), 400, text === '' ? /request body is required/ : message);
});

const VERSIONS = `{ required: true, content: {
    application/json;v=1: { schema: { type: object, required: [a] } },
    application/json;v=2: { schema: { type: object, required: [b] } } } }`;

test.each([
  ['application/json;v=1', '{"a":1}', 204],
  ['application/json; v=2', '{"b":1}', 204],
  ['Application/JSON; charset=utf-8; V="2"', '{"b":1}', 204],
  ['application/json; v=2', '{"a":1}', 400],
  ['application/json; v=3', '{"a":1}', 415],
])('media types that differ in a parameter: %s %s is %i', async (contentType, body, status) => {
  const { send, received } = await serveBody(VERSIONS);
  expect((await send(contentType, body)).status).toBe(status);
  const expected = status === 204 ? [expect.stringMatching(/^application\/json;v=[12](?:;|$)/)] : [];
  expect(received.map((got) => got.contentType)).toEqual(expected);
});

test.each(['image/png', 'application/octet-stream', 'video/mp4'])(
  'several media types: %s is bytes',
  async (contentType) => {
    const { send, received } = await serveBody(SEVERAL);
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect((await send(contentType, bytes)).status).toBe(204);
    const body = received[0]?.body as Blob;
    expect(body.type).toBe(contentType);
    expect(Buffer.from(await body.arrayBuffer())).toEqual(bytes);
  },
);

test.each<[string, string | Buffer, number, RegExp]>([
  ['application/json', '{"a":"1"}', 400, /body\/a must be integer/],
  ['application/merge-patch+json', '{"a":1}', 400, /required property 'b'/],
  ['text/plain', 'too long', 400, /body must NOT have more than 5 characters/],
  ['text/plain', Buffer.from([0xff]), 400, /UTF-8/],
  ['image', 'x', 415, /application\/json, application\/merge-patch\+json/],
])('several media types: %s %s is refused', async (contentType, body, status, message) => {
  const { send } = await serveBody(SEVERAL);
  expectProblem(await send(contentType, body), status, message);
});

test.each([
  ['text/plain', ''],
  ['application/x-www-form-urlencoded', {}],
])('an empty body of type %s is valid', async (contentType, value) => {
  const { send, received } = await serveBody(`{ required: true, content: { '${contentType}': {} } }`);
  expect((await send(contentType, '')).status).toBe(204);
  expect(received[0]).toMatchObject({ contentType, body: value });
});

const RANGES = "{ required: true, content: { image/*: {}, application/*+json: {}, '*/*': {}, text/plain: {} } }";
test.each([
  ...['image/*', 'IMAGE/*', 'image/*; q=1', '*/*', 'application/*+json', 'image/p*', '*', 'image', 'image/', '/png'],
  ...['image/png/x', 'image/png, image/gif', 'image/png image/gif', 'image /png', 'image/(png)', 'imagé/png'],
  ...['image/png; a', 'image/png; a=', 'image/png; =b', 'image/png; a = b', 'image/png; a="b', 'image/png; a="b"c'],
])('a Content-Type that is not a media type: 415: %j', async (contentType) => {
  const { send, received } = await serveBody(RANGES);
  expectProblem(await send(contentType, 'x'), 415, /image\/\*, application\/\*\+json, \*\/\*, text\/plain$/);
  expect(received).toEqual([]);
});

test.each([
  ...['image/png', 'Image/PNG', 'image/svg+xml', "a.b-c!#$&^_`|~'%/x.y+z"],
  ...['image/png;a=b', 'image/png ; a=b\t;c="d;\\"\\*"', 'image/png; ; a=*;'],
])('a Content-Type that is not a media type: 204: %j', async (contentType) => {
  const { send, received } = await serveBody(RANGES);
  expect((await send(contentType, 'x')).status).toBe(204);
  expect(received[0]).toMatchObject({ contentType });
});

const BODY = 'requestBody: { content: { text/plain: {} } }';
const PARAMETER = 'parameters: [{ name: content-range, in: header, schema: { type: string } }]';
const sendPart = async (method: 'put' | 'post' | 'patch', operation: string) => {
  const received: unknown[] = [];
  const op = async (got: unknown) => {
    received.push(got);
    return { status: 204 };
  };
  const document = documentOf('/a', method, `${operation}\nresponses: { '204': { description: Done. } }`);
  const { app } = await createTestApp({ contract: await contractOf(document), handlers: { op } });
  const sending = request(app)[method]('/a').set('Content-Range', 'bytes 0-1/9').type('text/plain').send('ab');
  return { response: await sending, received };
};

test.each(['', BODY])('Content-Range: 400 for PUT: %j', async (operation) => {
  const { response, received } = await sendPart('put', operation);
  expectProblem(response, 400, /^header\/Content-Range must not be sent: a PUT needs the whole body$/);
  expect(received).toEqual([]);
});

test('Content-Range may be a parameter of a PUT', async () => {
  const { response, received } = await sendPart('put', `${PARAMETER}\n${BODY}`);
  expect(response.status).toBe(204);
  expect(received).toMatchObject([{ headers: { 'content-range': 'bytes 0-1/9' }, body: 'ab' }]);
});

test.each(['post', 'patch'] as const)('Content-Range has no meaning for %s', async (method) => {
  expect((await sendPart(method, BODY)).response.status).toBe(204);
});

test('text in another charset is refused', async () => {
  const { send } = await serveBody('{ content: { text/plain: { schema: { type: string } } } }');
  expectProblem(await send('text/plain; charset=utf-16le', 'x'), 415, /UTF-8/);
  expectProblem(await send('text/plain; charset=unknown', 'x'), 415, /UTF-8/);
  for (const charset of ['"UTF-8"', 'UTF8', '"utf8"', 'US-ASCII'])
    expect((await send(`text/plain; charset=${charset}`, 'x')).status).toBe(204);
});

/** Sends a request without a Content-Length, the header before the body. Returns the status of the response. */
async function sendInChunks(requestBody: string, body: string, headers: Record<string, string> = {}) {
  const { app, received } = await serveBody(requestBody);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => void server.close());
  const { port } = server.address() as AddressInfo; // Only pipes have a string address.
  const options = { port, path: '/a', method: 'POST', headers: { 'Transfer-Encoding': 'chunked', ...headers } };
  const client = httpRequest({ ...options, host: '127.0.0.1' });
  client.flushHeaders();
  await once(server, 'request');
  client.end(body);
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, received };
}

const REQUIRED = OPTIONAL.replace('{', '{ required: true,');
test.each<[string, string, string, Record<string, string>, number]>([
  ['absent', OPTIONAL, '', {}, 204],
  ['absent with another Content-Type', OPTIONAL, '', { 'Content-Type': 'text/html' }, 204],
  ['absent with a Content-Encoding', OPTIONAL, '', { 'Content-Encoding': 'gzip' }, 204],
  ['absent, but required', REQUIRED, '', {}, 400],
  ['absent, but required, with its Content-Type', REQUIRED, '', { 'Content-Type': 'application/json' }, 400],
  ['refused without a Content-Type', OPTIONAL, '{}', {}, 415],
  ['refused without a Content-Type, also if required', REQUIRED, '{}', {}, 415],
  ['read with its Content-Type', OPTIONAL, '{}', { 'Content-Type': 'application/json' }, 204],
])('a body in chunks is %s: %s %j %j: %i', async (_name, requestBody, body, headers, status) => {
  const { status: answered, received } = await sendInChunks(requestBody, body, headers);
  expect(answered).toBe(status);
  expect(received.map((got) => got.body)).toEqual(status === 204 ? [body === '' ? undefined : {}] : []);
});

test('the message about an enum lists all its values', async () => {
  const { send } = await serveBody(
    '{ content: { application/json: { schema: { enum: [a, null, true, 1.5, [b]] } } } }',
  );
  expectProblem(
    await send('application/json', '"c"'),
    400,
    /^body must be .*allowed values: a, null, true, 1\.5, \["b"\]$/,
  );
});
