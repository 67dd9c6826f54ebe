import type { RequestListener } from 'node:http';
import request, { type Response } from 'supertest';
import { hashToken } from '../../src/auth/tokens.ts';
import type { Caller } from '@contract-first/contract';
import { createRateLimit } from '../../src/http/authenticate/rate-limit.ts';
import { createTestApp, type Overrides } from '@contract-first/testing/app.ts';
import { expectError } from '@contract-first/testing/answer.ts';
import { contractOf } from '@contract-first/testing/contract.ts';
import { until } from '@contract-first/testing/until.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Items, version: 1.0.0 }
security: [{ bearer: [] }]
paths:
  /items:
    get: { operationId: listItems, security: [], responses: { '200': { description: The items. } } }
    post:
      operationId: addItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses:
        '204': { description: Added. }
        '429':
          description: Too many requests.
          content: { application/json: { schema: { $ref: '#/components/schemas/TooMany' } } }
components:
  schemas:
    TooMany: { type: object, required: [reason], properties: { reason: { type: string } } }
  securitySchemes:
    bearer: { type: http, scheme: bearer }
`;
const POLICY = '"default";q=2;w=60';
const MESSAGE = /^too many requests: at most 2 in 60 s; try again in \d+ s$/;

/** Serves two requests per minute to each caller and address. X-Forwarded-For has the address. */
async function createItems(overrides: Overrides = {}) {
  return createTestApp({
    contract: await contractOf(DOCUMENT),
    handlers: { listItems: async () => ({ status: 200 }), addItem: async () => ({ status: 204 }) },
    failures: { TooMany: ({ message }) => ({ reason: message }) },
    auth: {
      tokens: [hashToken('alice', 'alice-token'), hashToken('bob', 'bob-token')],
      tokensFile: undefined,
      jwt: undefined,
    },
    trustProxy: ['loopback'],
    rateLimit: { requests: 2, windowSeconds: 60 },
    ...overrides,
  });
}

function add(app: RequestListener, token: string, address = '192.0.2.1'): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
  return Promise.resolve(request(app).post('/items').set(headers).send({}));
}

function get(app: RequestListener, address = '192.0.2.1', path = '/items'): Promise<Response> {
  return Promise.resolve(request(app).get(path).set('X-Forwarded-For', address));
}

/** Returns the statuses of three sequential requests. */
async function thrice(send: () => Promise<Response>): Promise<readonly number[]> {
  return [(await send()).status, (await send()).status, (await send()).status];
}

test('RATE_LIMIT_REQUESTS limits each caller at any address, but not other callers at the same address', async () => {
  const { app } = await createItems();
  expect((await add(app, 'alice-token', '192.0.2.1')).status).toBe(204);
  expect((await add(app, 'alice-token', '192.0.2.2')).status).toBe(204);
  expect((await add(app, 'alice-token', '192.0.2.3')).status).toBe(429);
  expect(await thrice(() => add(app, 'bob-token'))).toEqual([204, 204, 429]);
  expect((await get(app)).status).toBe(200);
});

test('RATE_LIMIT_REQUESTS limits requests without a caller by address', async () => {
  const { app } = await createItems();
  expect(await thrice(() => get(app))).toEqual([200, 200, 429]);
  expect((await get(app, '192.0.2.2')).status).toBe(200);
  expect((await add(app, 'alice-token')).status).toBe(204);
});

test.each([
  ['2001:db8::1', '2001:DB8:0:0:5:6:7:8', '2001:db8:0:1::1'],
  ['::1:0:0:0:1', '0:0:0:1::', '::1'],
])('RATE_LIMIT_REQUESTS limits all IPv6 addresses of a /64 together: %s and %s, not %s', async (first, same, other) => {
  const { app } = await createItems();
  expect(await thrice(() => get(app, first))).toEqual([200, 200, 429]);
  expect((await get(app, same)).status).toBe(429);
  expect((await get(app, other)).status).toBe(200);
});

test.each([
  ['a port', '192.0.2.1:1000', '192.0.2.1:1001', '192.0.2.2:1000'],
  ['a port after brackets', '[2001:db8::1]:1000', '[2001:db8::1]:1001', '[2001:db8:1::1]:1000'],
  ['brackets', '[2001:db8::1]', '2001:db8::1', '[2001:db8:1::1]'],
  ['a zone', 'fe80::1%eth0', '[fe80::1%eth1]:1000', 'fe80:1::1%eth0'],
  ['an IPv4 address in IPv6', '::ffff:192.0.2.1', '[::FFFF:c000:201]:1000', '::ffff:192.0.2.2'],
  ['an IPv4 address in one of IPv6', '1::2:3:4:5:192.0.2.1', '1:0:2:3::', '1::2:4:4:5:192.0.2.1'],
  ['an earlier proxy', '192.0.2.1', '192.0.2.9, 192.0.2.1:1000, 127.0.0.1:80', '192.0.2.2, 127.0.0.1'],
  ['empty elements', '192.0.2.1', '192.0.2.9,192.0.2.1, , ,', '192.0.2.2,'],
])('RATE_LIMIT_REQUESTS limits all spellings of an address together: with %s', async (_name, first, same, other) => {
  const { app, logged } = await createItems();
  expect(await thrice(() => get(app, first))).toEqual([200, 200, 429]);
  expect((await get(app, same)).status).toBe(429);
  expect((await get(app, other)).status).toBe(200);
  expect(logged.at(-1)?.['clientAddress']).not.toMatch(/^::ffff|[%[\]]/);
});

test('RATE_LIMIT_REQUESTS: an element that is not an address stands for the proxy that added it', async () => {
  const { app, logged } = await createItems({ rateLimit: { requests: 1, windowSeconds: 60 } });
  const elements = ['unknown', '_hidden', '192.0.2', '192.0.2.1.5', '0192.0.2.1', '3221225985', '192.0.2.1:http'];
  elements.push('192.0.2.1:1:2', '[192.0.2.1', '[2001:db8::1]1000', '2001:db8::1]:1000', '2001:db8::g', '"192.0.2.1"');
  expect((await get(app, 'anybody')).status).toBe(200);
  for (const element of elements) expect((await get(app, `192.0.2.9, ${element}`)).status).toBe(429);
  expect((await get(app, 'unknown, 192.0.2.2')).status).toBe(200);
  expect(logged[0]).toMatchObject({ clientAddress: '127.0.0.1' });
});

test('RATE_LIMIT_REQUESTS counts failed authentications by address: 429 instead of 401', async () => {
  const { app, logged } = await createItems();
  let attempts = 0;
  expect(await thrice(() => add(app, `wrong-token-${String((attempts += 1))}`))).toEqual([401, 401, 429]);
  expect((await get(app)).status).toBe(429);
  expect((await add(app, 'wrong-token', '192.0.2.2')).status).toBe(401);
  expect((await add(app, 'alice-token')).status).toBe(204);
  expect(logged.map(({ status }) => status)).toEqual([401, 401, 429, 429, 401, 204]);
});

test('RATE_LIMIT_REQUESTS counts unknown paths, undocumented methods and OPTIONS by address', async () => {
  const { app } = await createItems();
  expect((await get(app, '192.0.2.1', '/other')).status).toBe(404);
  expect((await request(app).delete('/items').set('X-Forwarded-For', '192.0.2.1')).status).toBe(405);
  expect((await request(app).options('/items').set('X-Forwarded-For', '192.0.2.1')).status).toBe(429);
  expect((await get(app, '192.0.2.1', '/other')).status).toBe(429);
});

test('RATE_LIMIT_REQUESTS does not count preflights, and lets pages read the fields', async () => {
  const origin = 'https://app.example.com';
  const { app } = await createItems({ cors: { origins: [origin], credentials: false, maxAgeSeconds: 600 } });
  const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST', 'X-Forwarded-For': '192.0.2.1' };
  expect(await thrice(() => Promise.resolve(request(app).options('/items').set(preflight)))).toEqual([204, 204, 204]);
  expect(await thrice(() => Promise.resolve(request(app).options('/other').set(preflight)))).toEqual([404, 404, 404]);
  const headers = { Origin: origin, 'X-Forwarded-For': '192.0.2.1' };
  const send = () => Promise.resolve(request(app).get('/items').set(headers));
  expect(await thrice(send)).toEqual([200, 200, 429]);
  const exposed = (await send()).headers['access-control-expose-headers'];
  expect(exposed).toBe('x-request-id, ratelimit-policy, ratelimit, retry-after');
});

test('RATE_LIMIT_REQUESTS: every response has the number of remaining requests; a 429 has Retry-After and the documented body', async () => {
  const { app, logged } = await createItems();
  const responses = [await add(app, 'alice-token'), await add(app, 'alice-token'), await add(app, 'alice-token')];
  expect(responses.map(({ headers }) => headers['ratelimit-policy'])).toEqual([POLICY, POLICY, POLICY]);
  const left = responses.map(({ headers }) =>
    /^"default";r=(\d);t=(?:[1-9]|[1-5]\d|60)$/.exec(headers['ratelimit'] ?? ''),
  );
  expect(left.map((match) => match?.[1])).toEqual(['1', '0', '0']);
  const headers = responses[2]?.headers;
  expect(headers?.['retry-after']).toBe(/t=(\d+)/.exec(headers?.['ratelimit'] ?? '')?.[1]);
  expect(responses[2]?.body).toEqual({ reason: expect.stringMatching(MESSAGE) });
  expect(logged.at(-1)).toMatchObject({ operationId: 'addItem', status: 429, caller: 'alice' });
});

test('RATE_LIMIT_REQUESTS: an undocumented 429 has the usual failure body of the document', async () => {
  const { app } = await createTestApp({ rateLimit: { requests: 2, windowSeconds: 60 } });
  const send = () => Promise.resolve(request(app).post('/guests'));
  expect(await thrice(send)).toEqual([401, 401, 429]);
  expectError(await send(), 429, MESSAGE);
});

test('RATE_LIMIT_REQUESTS: a request beyond the limit gets 429 before its body arrives', async () => {
  const { serve } = await createItems({ rateLimit: { requests: 1, windowSeconds: 60 } });
  const { url } = await serve();
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(Buffer.from('{'));
    },
  });
  const init = {
    method: 'POST',
    headers: { Authorization: 'Bearer alice-token', 'Content-Type': 'application/json' },
  };
  expect((await fetch(`${url}/items`, { ...init, body: '{}' })).status).toBe(204);
  expect((await fetch(`${url}/items`, { ...init, body, duplex: 'half' })).status).toBe(429);
});

test('RATE_LIMIT_REQUESTS: the count restarts after the window', async () => {
  const { app } = await createItems({ rateLimit: { requests: 2, windowSeconds: 1 } });
  expect(await thrice(() => add(app, 'alice-token'))).toContain(204);
  await until(async () => (await add(app, 'alice-token')).headers['ratelimit'], '"default";r=1;t=1');
});

type Sender = readonly [Caller | undefined, string];
const addressOf = (index: number): Sender => [
  undefined,
  `10.${[index >> 16, (index >> 8) & 255, index & 255].join('.')}`,
];
const callerOf = (index: number): Sender => [{ name: String(index), scheme: 'bearer' }, '192.0.2.1'];
test.each([
  ['addresses', 'callers', addressOf, callerOf],
  ['callers', 'addresses', callerOf, addressOf],
] as const)(
  'RATE_LIMIT_REQUESTS removes the oldest of 200,000 %s, but no %s',
  async (_senders, _others, senderOf, otherOf) => {
    const limit = createRateLimit({ requests: 1, windowSeconds: 3600 });
    const isLimited = async ([caller, address]: Sender): Promise<boolean> =>
      (await limit(caller, address)).failure !== undefined;
    expect(await isLimited(senderOf(0))).toBe(false);
    expect(await isLimited(otherOf(0))).toBe(false);
    for (let index = 1; index < 100_000; index += 1) await isLimited(senderOf(index));
    expect(await isLimited(senderOf(0))).toBe(true);
    for (let index = 100_000; index <= 300_000; index += 1) await isLimited(senderOf(index));
    expect(await isLimited(senderOf(0))).toBe(false);
    expect(await isLimited(otherOf(0))).toBe(true);
  },
);

test('without RATE_LIMIT_REQUESTS, nothing is limited, and no response has the fields', async () => {
  const { app } = await createItems({ rateLimit: undefined });
  expect(await thrice(() => get(app))).toEqual([200, 200, 200]);
  expect((await get(app)).headers).not.toHaveProperty('ratelimit');
  expect((await get(app)).headers).not.toHaveProperty('ratelimit-policy');
});
