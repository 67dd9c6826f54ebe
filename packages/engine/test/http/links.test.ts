import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { stringifyJson } from '@contract-first/engine';
import type { AnyHandler } from '@contract-first/engine/tools';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { createTestApp, type Overrides } from '@contract-first/testing/app.ts';
import { openRawConnection } from '@contract-first/testing/connection.ts';
import { contractOf } from '@contract-first/testing/contract.ts';

const LIST = '{ type: array, items: { type: string } }';
const OBJECT = '{ type: object, properties: { a: { type: integer }, b: { type: string } } }';
const ANY = "responses: { '200': { description: Done., content: { application/json: { schema: {} } } } }";

/** Serves `GET /link`, which returns the URL of `GET /to…`, and `GET /to…`, which returns its parameters. */
async function serve(
  path: string,
  parameters: string,
  linked: object,
  { servers = '[{ url: / }]', ...config }: Options = {},
) {
  const contract = await contractOf(`
openapi: 3.2.0
info: { title: Links, version: 1.0.0 }
security: []
servers: ${servers}
paths:
  /link: { get: { operationId: link, ${ANY} } }
  '${path}': { get: { operationId: target, parameters: [${parameters}], ${ANY} } }`);
  type Request = {
    readonly url: (id: string, linked: object) => string;
    readonly path: object;
    readonly query: object;
  };
  const handlers: Record<string, AnyHandler> = {
    link: ({ url }: Request) => Promise.resolve({ status: 200, body: url('target', linked) }),
    target: ({ path: inPath, query }: Request) => Promise.resolve({ status: 200, body: { path: inPath, query } }),
  };
  return createTestApp({ contract, handlers, ...config });
}

type Options = Omit<Overrides, 'contract'> & { readonly servers?: string };

test.each([
  ['{v}', 'path', '', 'type: string', 'a b/ü'],
  ['{v}', 'path', '', 'type: integer, format: int64', 9007199254740993n],
  ['{v}', 'path', 'style: simple', LIST, ['a', 'b']],
  ['{v}', 'path', 'style: simple, explode: true', OBJECT, { a: 1, b: '=' }],
  ['{v}', 'path', 'style: simple', OBJECT, { a: 1, b: 'x' }],
  ['{v}', 'path', 'style: label', LIST, ['a', 'b']],
  ['{v}', 'path', 'style: label, explode: true', LIST, ['a', 'b']],
  ['{v}', 'path', 'style: label, explode: true', OBJECT, { a: 1, b: 'x' }],
  ['{v}', 'path', 'style: matrix', 'type: string', 'a;b'],
  ['{v}', 'path', 'style: matrix', LIST, ['a', 'b']],
  ['{v}', 'path', 'style: matrix, explode: true', LIST, ['a', 'b']],
  ['{v}', 'path', 'style: matrix, explode: true', OBJECT, { a: 1, b: 'x' }],
  ['', 'query', '', 'type: string', 'a&b=c+d'],
  ['', 'query', '', 'type: boolean', false],
  ['', 'query', '', LIST, ['a,b', 'c&d']],
  ['{v}', 'path', '', LIST, ['a,b', 'c']],
  ['{v}', 'path', '', OBJECT, { a: 1, b: 'x,y' }],
  ['{v}', 'path', 'style: label, explode: true', LIST, ['a.b', 'c']],
  ['{v}', 'path', 'style: label, explode: true', OBJECT, { a: 1, b: 'x.y=z' }],
  ['{v}', 'path', 'style: matrix, explode: true', LIST, ['a;b=c', 'd']],
  ['', 'query', 'explode: false', LIST, ['a,b', 'c']],
  ['', 'query', 'style: spaceDelimited, explode: false', LIST, ['a', 'b+c']],
  ['', 'query', 'style: pipeDelimited, explode: false', LIST, ['a', 'b,c']],
  ['', 'query', '', OBJECT, { a: 1, b: 'x y' }],
  ['', 'query', 'explode: false', OBJECT, { a: 1, b: 'x,y' }],
  ['', 'query', 'style: deepObject', OBJECT, { a: 1, b: '[=]' }],
])('the operation reads the parameters of a link: /to%s, in %s, %s, %s', async (path, place, style, type, v) => {
  const schema = type.startsWith('{') ? type : `{ ${type} }`;
  const parameter = `{ name: v, in: ${place}, required: true, ${style && `${style},`} schema: ${schema} }`;
  const { app } = await serve(`/to/${path}`, parameter, { [place]: { v } });
  const { pathname, search } = new URL((await request(app).get('/link')).body as string);
  const response = await request(app).get(pathname + search);
  expect(response.text).toContain(`"${place}":${stringifyJson({ v })}`);
});

test.each([
  [
    'a parameter as JSON',
    '{ name: v, in: query, content: { application/json: { schema: {} } } }',
    { v: { a: [1, '&'] } },
  ],
  [
    'a query that is one parameter',
    `{ name: v, in: querystring, content: { application/x-www-form-urlencoded: { schema: ${OBJECT} } } }`,
    { v: { a: 1, b: '&' } },
  ],
])('the operation reads the parameters of a link: %s', async (_name, parameter, query) => {
  const { app } = await serve('/to', parameter, { query });
  const { pathname, search } = new URL((await request(app).get('/link')).body as string);
  expect((await request(app).get(pathname + search)).body).toEqual({ path: {}, query });
});

const FORWARDED = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.example.com:8443' };

test.each<[string, Options, string, Record<string, string>, string]>([
  ['the Host header', {}, '/link', {}, 'http://shop.example/to'],
  ['no untrusted proxy', {}, '/link', FORWARDED, 'http://shop.example/to'],
  ['a trusted proxy', { trustProxy: ['loopback'] }, '/link', FORWARDED, 'https://api.example.com:8443/to'],
  [
    'no value of a proxy that is none',
    { trustProxy: ['loopback'] },
    '/link',
    { 'X-Forwarded-Proto': 'ftp', 'X-Forwarded-Host': 'a/b' },
    'http://shop.example/to',
  ],
  ['PUBLIC_URL', { publicUrl: 'https://example.com/api' }, '/link', FORWARDED, 'https://example.com/api/to'],
  [
    'the server of the request',
    { servers: '[{ url: /v1 }, { url: /v2 }]' },
    '/v2/link',
    {},
    'http://shop.example/v2/to',
  ],
  [
    'the server of the request with its variables',
    { servers: "[{ url: '/{tenant}/v1', variables: { tenant: { default: a } } }]" },
    '/acme/v1/link?x',
    {},
    'http://shop.example/acme/v1/to',
  ],
])('a link is absolute: it follows %s', async (_name, options, path, headers, url) => {
  const { app } = await serve('/to', '', {}, options);
  const response = await request(app)
    .get(path.replace('?x', ''))
    .set({ Host: 'shop.example', ...headers });
  expect([response.status, response.body]).toEqual([200, url]);
});

test.each([
  [
    'the whole URL as the target',
    'GET http://other.example/w/link HTTP/1.1\r\nHost: shop.example',
    'http://shop.example/w/to',
  ],
  ['a Host header without a name', 'GET /w/link HTTP/1.1\r\nHost: :80', /^http:\/\/127\.0\.0\.1:\d+\/w\/to$/],
])('a link is absolute for a request with %s', async (_name, head, url) => {
  const { serve: listen } = await serve(
    '/to',
    '',
    {},
    { servers: "[{ url: '/{any}', variables: { any: { default: w } } }]" },
  );
  const { port } = new URL((await listen()).url);
  const socket = connect(Number(port), '127.0.0.1').end(`${head}\r\nConnection: close\r\n\r\n`);
  const [body = ''] = (await text(socket)).split('\r\n').slice(-1);
  const expected: unknown = typeof url === 'string' ? url : expect.stringMatching(url);
  expect(JSON.parse(body)).toEqual(expected);
});

test.each(['127.0.0.1', '::1'])(
  'a link has the address of the service if the request has no Host header: %s',
  async (host) => {
    const { app } = await serve('/to', '', {});
    const server = createServer(app).listen(0, host);
    cleanUp(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, host).end('GET /link HTTP/1.0\r\n\r\n');
    const [body = ''] = (await text(socket)).split('\r\n').slice(-1);
    const authority = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
    expect(JSON.parse(body)).toBe(`http://${authority}/to`);
  },
);

test('a link of a service in Express includes the mount path', async () => {
  const { app } = await serve('/to', '', {});
  const response = await request(express().use('/v1', app)).get('/v1/link').set({ Host: 'shop.example' });
  expect(response.body).toBe('http://shop.example/v1/to');
});

test.each([
  ['/to/{v}', '/to/..', 404],
  ['/to/{v}', '/to/.', 404],
  ['/to/{v}', '/to/%2e%2E', 404],
  ['/to/{v}', '/to/...', 200],
  ['/to/.{v}', '/to/..', 404],
  ['/to/.{v}', '/to/.a', 200],
  ['/to/{v}/all', '/to/../all', 404],
])(
  'the operation at %s does not read a dot segment, which no link can have: %s is %i',
  async (path, target, status) => {
    const { serve: listen } = await serve(path, '{ name: v, in: path, required: true, schema: { type: string } }', {});
    const connection = await openRawConnection((await listen()).url);
    connection.write(`GET ${target} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n`);
    expect(await connection.closed()).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
  },
);

test.each([
  ['/to/{v}', '{ name: v, in: path, required: true, schema: {} }', { path: {} }, 'needs the path parameter v'],
  [
    '/to/{v}',
    '{ name: v, in: path, required: true, schema: {} }',
    { path: { v: '..' } },
    'cannot have the path /to/..',
  ],
  [
    '/to',
    `{ name: v, in: query, style: pipeDelimited, explode: false, schema: ${LIST} }`,
    { query: { v: ['a|b'] } },
    'does not allow a|b',
  ],
  ['/to', '', { query: { w: 1 } }, 'has no parameter w in its query'],
])(
  'a link that its operation could not read is an error: 500 for %s with %s and %j',
  async (path, parameter, linked, message) => {
    const { app, logged } = await serve(path, parameter, linked);
    expect((await request(app).get('/link')).status).toBe(500);
    expect(JSON.stringify(logged)).toContain(message);
  },
);
