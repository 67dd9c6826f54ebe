import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import request from 'supertest';
import type { CorsPolicy } from '../../src/http/accept/cors.ts';
import type { AnyHandler } from '../../src/http/handle/call-handler.ts';
import { createTestApp, TOKEN, type Overrides } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { openPage } from './support/browser.ts';
import { openRawConnection } from '@contract-first/testing/connection.ts';
import { contractOf } from '@contract-first/testing/contract.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Items, version: 1.0.0 }
security: [{ key: [] }, { session: [] }]
paths:
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getItem
      security: [{ key: [] }, { bearer: [] }, { session: [] }]
      parameters: [{ name: X-Region, in: header, schema: { type: string } }]
      responses:
        '200':
          description: The item.
          headers: { X-Total: { schema: { type: integer } }, Vary: { schema: { type: string } } }
          content: { text/plain: { schema: { type: string } } }
    put:
      operationId: putItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '204': { description: Stored. } }
  /described:
    put: { operationId: describeThis, security: [], responses: { '204': { description: Done. } } }
    options:
      operationId: ownOptions
      security: []
      responses: { '200': { description: What it can do., content: { text/plain: { schema: { type: string } } } } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
    session: { type: apiKey, in: cookie, name: session }
    bearer: { type: http, scheme: bearer }
`;
const ORIGIN = 'https://app.example.com';
const POLICY: CorsPolicy = { origins: [ORIGIN], credentials: false, maxAgeSeconds: 600 };
const NO_REQUESTS = {
  inFlightLimit: 0,
  bodyMemoryLimitBytes: 67_108_864,
  streamLimit: 100,
  eventLoopDelayLimitMs: 60_000,
};

async function createItems(cors: CorsPolicy | undefined, { handlers, ...overrides }: Overrides = {}) {
  const stored: unknown[] = [];
  const getItem: AnyHandler = async () => ({ status: 200, headers: { 'X-Total': 7, Vary: 'Accept' }, body: 'item' });
  const putItem = async ({ body }: { body: unknown }) => {
    stored.push(body);
    return { status: 204 };
  };
  const describeThis = async () => ({ status: 204 });
  const ownOptions = async () => ({ status: 200, body: 'put it' });
  const own = { getItem, putItem, describeThis, ownOptions, ...handlers };
  const contract = await contractOf(DOCUMENT);
  return { stored, ...(await createTestApp({ contract, handlers: own, cors, ...overrides })) };
}

type Preflight = { readonly path?: string; readonly origin?: string; readonly method?: string };
type App = Parameters<typeof request>[0];

function preflight(app: App, { path = '/items/1', origin = ORIGIN, method = 'PUT' }: Preflight = {}) {
  return request(app).options(path).set({ Origin: origin, 'Access-Control-Request-Method': method });
}

const corsHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

test('the response to a preflight has the methods and the request headers of the path, without authentication', async () => {
  const { app } = await createItems({ ...POLICY, credentials: true });
  const response = await preflight(app);
  expect([response.status, response.text, response.headers['allow']]).toEqual([204, '', 'GET, PUT, HEAD, OPTIONS']);
  expect(corsHeaders(response.headers)).toEqual({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, PUT, HEAD, OPTIONS',
    'access-control-allow-headers':
      'X-Region, X-Api-Key, Authorization, Content-Type, X-Request-Id, traceparent, tracestate, baggage',
    'access-control-expose-headers': 'x-request-id, allow',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
});

test.each([
  ['an unknown path', { path: '/other' }, 404, /this path does not exist/],
  ['a method that the path does not have', { method: 'DELETE' }, 405, /allows only GET, PUT, HEAD, OPTIONS/],
  ['a method in lower case', { method: 'put' }, 405, /allows only GET, PUT, HEAD, OPTIONS/],
  ['an origin that is not listed', { origin: 'http://app.example.com' }, 403, /http:.*CORS_ORIGINS does not list it/],
  ['an origin with a longer name', { origin: `${ORIGIN}.evil.com` }, 403, /CORS_ORIGINS does not list it/],
  ['the origin null', { origin: 'null' }, 403, /CORS_ORIGINS does not list it/],
])('a preflight of %s is refused with the reason', async (_name, asked: Preflight, status, reason) => {
  const { app } = await createItems(POLICY);
  const response = await preflight(app, asked);
  expect([response.status, response.text]).toEqual([status, expect.stringMatching(reason)]);
  expect(response.headers).not.toHaveProperty('access-control-allow-methods');
  const allowed = response.headers['access-control-allow-origin'];
  expect(allowed).toBe('origin' in asked ? undefined : ORIGIN);
});

test('a preflight reaches an operation of the document', async () => {
  const { app } = await createItems(POLICY);
  const response = await preflight(app, { path: '/described' });
  expect([response.status, response.text]).toEqual([200, 'put it']);
  expect(response.headers).not.toHaveProperty('access-control-allow-methods');
  expect(response.headers['access-control-allow-origin']).toBe(ORIGIN);
});

test('a preflight without CORS_ORIGINS is an OPTIONS request like any other', async () => {
  const { app } = await createItems(undefined);
  const response = await preflight(app);
  expect([response.status, response.headers['allow']]).toEqual([204, 'GET, PUT, HEAD, OPTIONS']);
  expect(corsHeaders(response.headers)).toEqual({});
});

test('OPTIONS requests other than preflights get Allow only', async () => {
  const { app } = await createItems(POLICY);
  const response = await request(app).options('/items/1').set('Origin', ORIGIN);
  expect(response.headers['allow']).toBe('GET, PUT, HEAD, OPTIONS');
  expect(response.headers).not.toHaveProperty('access-control-allow-methods');
});

const get = (app: App, origin?: string) =>
  request(app)
    .get('/items/1')
    .set({ 'X-Api-Key': TOKEN, ...(origin !== undefined && { Origin: origin }) });

test('a response to a listed origin can be read with its headers, and keeps the Vary of its handler', async () => {
  const { app } = await createItems(POLICY);
  expect(corsHeaders((await get(app, ORIGIN)).headers)).toEqual({
    'access-control-allow-origin': ORIGIN,
    'access-control-expose-headers': 'x-request-id, x-total',
    vary: 'Accept, Origin',
  });
});

test.each([undefined, 'https://other.example.com'])('a response to the origin %s has only Vary', async (origin) => {
  const { app } = await createItems(POLICY);
  const response = await get(app, origin);
  expect([response.status, corsHeaders(response.headers)]).toEqual([200, { vary: 'Accept, Origin' }]);
});

test('with *, any origin can read a response, without Vary', async () => {
  const { app } = await createItems({ ...POLICY, origins: '*' });
  for (const origin of [undefined, 'null', ORIGIN]) {
    const { headers } = await get(app, origin);
    expect([headers['access-control-allow-origin'], headers['vary']]).toEqual(['*', 'Accept']);
  }
  expect((await preflight(app, { origin: 'null' })).status).toBe(204);
});

test.each<[number, string, Overrides, Record<string, string>, string]>([
  [401, '/items/1', {}, { 'X-Api-Key': 'wrong' }, 'x-request-id, www-authenticate'],
  [404, '/other', {}, {}, 'x-request-id'],
  [405, '/items/1', {}, { 'X-HTTP-Method': 'POST' }, 'x-request-id, allow'],
  [413, '/items/1', { bodyLimitBytes: 1 }, {}, 'x-request-id'],
  [415, '/items/1', {}, { 'Content-Type': 'text/plain' }, 'x-request-id, accept'],
  [500, '/items/1', { handlers: { putItem: async () => ({ status: 200 }) } }, {}, 'x-request-id'],
  [503, '/items/1', { loadShedding: NO_REQUESTS }, {}, 'x-request-id, retry-after'],
])('a response %i can be read', async (status, path, overrides, headers, exposed) => {
  const { app } = await createItems(POLICY, overrides);
  const { 'X-HTTP-Method': method = 'PUT', ...rest } = headers;
  const sent = { Origin: ORIGIN, 'X-Api-Key': TOKEN, 'Content-Type': 'application/json', ...rest };
  const response = await request(app)[method.toLowerCase() as 'put'](path).set(sent).send('{"a":1}');
  expect([response.status, corsHeaders(response.headers)]).toEqual([
    status,
    { 'access-control-allow-origin': ORIGIN, 'access-control-expose-headers': exposed, vary: 'Origin' },
  ]);
});

test('a response to a body that the parser rejects can be read', async () => {
  const { serve } = await createItems(POLICY);
  const connection = await openRawConnection((await serve()).url);
  const lines = ['PUT /items/1 HTTP/1.1', 'Host: x', `Origin: ${ORIGIN}`, `X-Api-Key: ${TOKEN}`];
  connection.write([...lines, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', 'x'].join('\r\n'));
  expect(await connection.receive('}')).toMatch(/^HTTP\/1\.1 400 [^]*\r\naccess-control-allow-origin: https:/);
});

test.each<[string, (origin: string) => CorsPolicy | undefined, boolean]>([
  ['that is listed has access', (origin) => ({ ...POLICY, origins: [ORIGIN, origin] }), true],
  ['has access with *', () => ({ ...POLICY, origins: '*' }), true],
  ['that is not listed has none', () => POLICY, false],
  ['has none without CORS_ORIGINS', () => undefined, false],
])('in a browser, a page of another origin %s', async (_name, policyOf, hasAccess) => {
  const { page, origin } = await openOtherPage();
  const { serve, stored } = await createItems(policyOf(origin));
  const { url } = await serve();
  const key = { 'X-Api-Key': TOKEN };
  const got = await call(page, `${url}/items/1`, { headers: { ...key, 'X-Region': 'eu', 'X-Request-Id': 'r1' } });
  const put = { method: 'PUT', headers: { ...key, 'Content-Type': 'application/json' }, body: '{"a":1}' };
  const done = await call(page, `${url}/items/1`, put);
  const refused = await call(page, `${url}/items/1`, { headers: { Authorization: 'Bearer wrong' } });
  if (!hasAccess) {
    expect([got, done, refused]).toEqual(Array(3).fill('TypeError: Failed to fetch'));
    expect(stored).toEqual([]);
    return;
  }
  expect(got).toMatchObject({ status: 200, body: 'item', headers: { 'x-total': '7', 'x-request-id': 'r1' } });
  expect(done).toMatchObject({ status: 204 });
  expect(stored).toEqual([{ a: 1 }]);
  const challenges = 'ApiKey realm="key", Bearer realm="bearer", error="invalid_token", ApiKey realm="session"';
  const headers = { 'www-authenticate': challenges };
  expect(refused).toMatchObject({ status: 401, body: expect.stringContaining('send a valid API key: '), headers });
});

test('in a browser, a page of another origin reads the 503 of an overload, and Retry-After', async () => {
  const { page, origin } = await openOtherPage();
  const { serve } = await createItems({ ...POLICY, origins: [origin] }, { loadShedding: NO_REQUESTS });
  const got = await call(page, `${(await serve()).url}/items/1`, { headers: { 'X-Api-Key': TOKEN } });
  const body = expect.stringContaining('try again');
  expect(got).toMatchObject({ status: 503, body, headers: { 'retry-after': '1' } });
});

test.each([true, false])(
  'in a browser, a page of another origin sends cookies if CORS_CREDENTIALS is on: %j',
  async (credentials) => {
    const { page, origin } = await openOtherPage();
    const { serve } = await createItems({ ...POLICY, origins: [origin], credentials });
    const { url } = await serve();
    await page.context().addCookies([{ name: 'session', value: TOKEN, url }]);
    const got = await call(page, `${url}/items/1`, { credentials: 'include' });
    if (credentials) expect(got).toMatchObject({ status: 200, body: 'item' });
    else expect(got).toBe('TypeError: Failed to fetch');
    expect(await call(page, `${url}/items/1`)).toMatchObject({ status: 401 });
  },
);

/** Opens an empty page with another origin. */
async function openOtherPage(): Promise<{ readonly page: Page; readonly origin: string }> {
  const server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end('<!doctype html>'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { page: (await openPage(origin)).page, origin };
}

type Init = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly credentials?: 'include';
};

/** Sends a request from a page. Returns the response that the page's script receives, or the error. */
function call(page: Page, url: string, init: Init = {}): Promise<unknown> {
  return page.evaluate(
    async ([url, init]) => {
      try {
        const response = await fetch(url, init);
        const { status, headers } = response;
        return { status, headers: Object.fromEntries(headers), body: await response.text() };
      } catch (error) {
        return String(error);
      }
    },
    [url, init] as const,
  );
}
