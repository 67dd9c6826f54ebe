import { connect } from 'node:net';
import type { ServerLimits } from '../../src/server/server.ts';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { contractOf } from '@contract-first/testing/contract.ts';
import { openRawConnection, guestRequest, type RawConnection } from '@contract-first/testing/connection.ts';
import { HOSTILE_REQUESTS } from './support/hostile-requests.ts';
import { NODE_WITH_MEMORY_REPORT, usedBytes } from './support/memory.ts';
import { parseAnswers, type RawAnswer } from './support/raw-answer.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { startServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

const GOOD = guestRequest(TOKEN, '{"id":1,"name":"Anna"}');
const LEAK = /express|ajv|openapi|passport|sqlite|llhttp|hpe_|node_modules|\.ts\b|\bat \S+:\d+/i;

async function serve(limits: Partial<ServerLimits> = {}): Promise<string> {
  const testApp = await createTestApp();
  return (await testApp.serve(limits)).url;
}

/** Sends bytes and reads until the service closes the connection. */
async function attack(url: string, bytes: string | Buffer): Promise<RawAnswer[]> {
  const connection = await openRawConnection(url);
  connection.write(bytes);
  return parseAnswers(await connection.closed());
}

async function expectHealthy(url: string): Promise<void> {
  const connection = await openRawConnection(url);
  connection.write(GOOD);
  expect(await connection.receive('"Anna"}')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  connection.end();
  await connection.closed();
}

function expectErrorBodies(answers: readonly RawAnswer[]): void {
  for (const { status, head, body } of answers.filter((answer) => answer.status >= 400)) {
    expect(JSON.parse(body)).toEqual({ error: status, message: expect.stringMatching(/./) });
    expect(head).toMatch(/\r\ncontent-type: application\/json\r\n/);
    expect(head + body).not.toMatch(LEAK);
    const names = [...head.matchAll(/\r\n([\w-]+):/g)].map(([, name = '']) => name.toLowerCase());
    const known = [
      ...['connection', 'content-length', 'content-type', 'date', 'keep-alive'],
      ...['x-content-type-options', 'cache-control', 'x-request-id'],
    ];
    expect(names.filter((name) => !known.includes(name) && !ALSO[status]?.includes(name))).toEqual([]);
  }
}

const ALSO: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  405: ['allow'],
  415: ['accept', 'accept-encoding'],
  503: ['retry-after'],
};

const openMany = (url: string, count: number): Promise<RawConnection[]> =>
  Promise.all(Array.from({ length: count }, () => openRawConnection(url)));

/** The URL of a service with the default limits. */
let usual = '';
beforeAll(async () => {
  usual = await serve();
});

test.each(HOSTILE_REQUESTS)(
  'a hostile client gets a response, its connection is closed, and the next client is served: %s',
  async (_name, bytes, statuses) => {
    const answers = await attack(usual, bytes);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(answers.at(-1)?.head).toMatch(/\r\nConnection: close\r\n/);
    expectErrorBodies(answers);
    await expectHealthy(usual);
  },
);

const SHORT = { headersTimeoutMs: 500, requestTimeoutMs: 800 };

test.each([
  ['says nothing', ''],
  ['stops in the request line', 'POST /pl'],
  ['stops in the header', GOOD.slice(0, 60)],
  ['stops in the body', GOOD.slice(0, -5)],
  ['stops in a chunk', GOOD.replace(/Content-Length[^]*/, 'Transfer-Encoding: chunked\r\n\r\n16\r\n{"id"')],
])('a slow client that %s gets 408', async (_name, bytes) => {
  const url = await serve(SHORT);
  const answers = await attack(url, bytes);
  expect(answers.map(({ status }) => status)).toEqual([408]);
  expectErrorBodies(answers);
  await expectHealthy(url);
});

test('a slow client that sends single bytes gets 408', async () => {
  const url = await serve(SHORT);
  const connection = await openRawConnection(url);
  connection.write('POST /guests HTTP/1.1\r\nHost: x\r\nX: ');
  const drip = setInterval(() => {
    connection.write('x');
  }, 20);
  const answers = parseAnswers(await connection.closed());
  clearInterval(drip);
  expect(answers.map(({ status }) => status)).toEqual([408]);
});

test('a slow client gets its pending responses first', async () => {
  const answers = await attack(await serve(SHORT), GOOD + GOOD.slice(0, -5));
  expect(answers.map(({ status }) => status)).toEqual([200, 408]);
});

test('a slow client that sends nothing after its response is disconnected', async () => {
  const answers = await attack(await serve({ keepAliveTimeoutMs: 100 }), GOOD);
  expect(answers.map(({ status }) => status)).toEqual([200]);
});

test('a slow client that does not read its response is disconnected', async () => {
  const contract = await contractOf(`
openapi: 3.1.0
info: { title: Large, version: 1.0.0 }
security: []
paths: { /a: { get: { operationId: a, responses: { '200': { description: Done., content: { text/plain: {} } } } } } }
`);
  const handlers = { a: () => Promise.resolve({ status: 200, body: 'x'.repeat(20_000_000) }) };
  const testApp = await createTestApp({ contract, handlers });
  const { url, connectionCount } = await testApp.serve(SHORT);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(connectionCount, 1);
  await until(connectionCount, 0);
  socket.destroy();
});

test('idle connections: 2,000 do not prevent a response to another client', async () => {
  const url = await serve();
  await openMany(url, 2_000);
  await expectHealthy(url);
});

test('idle connections are closed when there are too many connections: the longest idle first', async () => {
  const url = await serve({ connectionLimit: 10 });
  const [first, second, ...others] = await openMany(url, 10);
  first?.write(GOOD);
  await first?.receive('"Anna"}');
  await expectHealthy(url);
  expect(await second?.closed()).toBe('');
  first?.write(GOOD.replaceAll('Anna', 'Moss'));
  expect(await first?.receive('"Moss"}')).toContain('"Moss"}');
  await openMany(url, 50);
  await first?.closed();
  for (const connection of others) await connection.closed();
  await expectHealthy(url);
});

test('at the connection limit, an idle connection is closed before a connection with an incomplete request', async () => {
  const url = await serve({ connectionLimit: 2 });
  const [sending] = await openMany(url, 1);
  sending?.write(GOOD.slice(0, -22).replace('Host', 'Expect: 100-continue\r\nHost'));
  await sending?.receive('100 Continue\r\n\r\n');
  const idle = await openRawConnection(url);
  await expectHealthy(url);
  expect(await idle.closed()).toBe('');
  sending?.write(GOOD.slice(-22));
  expect(await sending?.receive('"Anna"}')).toMatch(/\r\n\r\nHTTP\/1\.1 200 OK/);
});

test('idle connections: 503 when every connection is waiting for a response', async () => {
  const called = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<undefined>();
  const createGuest = async () => {
    called.resolve(undefined);
    await answer.promise;
    return { status: 200, body: { name: 'Anna' } };
  };
  const testApp = await createTestApp({ handlers: { createGuest } });
  const { url, refused } = await testApp.serve({ connectionLimit: 1 });
  const busy = await openRawConnection(url);
  busy.write(GOOD);
  await called.promise;
  const answers = await attack(url, '');
  expect(answers.map(({ status }) => status)).toEqual([503]);
  expectErrorBodies(answers);
  expect(answers[0]?.head).toMatch(/\r\nretry-after: 1\r\n/);
  expect(await refused()).toEqual(['connections']);
  answer.resolve(undefined);
  expect(await busy.receive('"Anna"}')).toMatch(/^HTTP\/1\.1 200 OK/);
});

const head = (token: string, lengthBytes: number): string =>
  guestRequest(token, '').replace(
    'Content-Length: 0',
    `Expect: 100-continue\r\nContent-Length: ${String(lengthBytes)}`,
  );

test('Expect: 100-continue: 100, then 200, when the body is wanted', async () => {
  const connection = await openRawConnection(usual);
  connection.write(head(TOKEN, 22));
  expect(await connection.receive('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  connection.write('{"id":1,"name":"Anna"}');
  expect(await connection.receive('"Anna"}')).toMatch(/\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test.each([
  ['the token is wrong', head('nope', 22), 401],
  ['the body is too large', head(TOKEN, 2 ** 30), 413],
  ['the media type is wrong', head(TOKEN, 22).replace('application/json', 'text/plain'), 415],
  ['the body is compressed', head(TOKEN, 22).replace('Expect', 'Content-Encoding: gzip\r\nExpect'), 415],
  ['the path is unknown', head(TOKEN, 22).replace('/guests', '/nowhere'), 404],
])('Expect: 100-continue: no 100 when %s', async (_name, bytes, status) => {
  const answers = await attack(usual, bytes);
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  expectErrorBodies(answers);
});

test('Expect: 100-continue is ignored for HTTP/1.0', async () => {
  const bytes = GOOD.replace('1.1', '1.0').replace('Host', 'Expect: 100-continue\r\nHost');
  expect((await attack(usual, bytes)).map(({ status }) => status)).toEqual([200]);
});

const last = GOOD.replace('Host', 'Connection: close\r\nHost');

test.each([
  ['a URL as the target, with another Host', last.replace('/guests', 'http://example.com:80/guests'), 200],
  ['a URL without a path', last.replace('/guests', 'HTTP://example.com'), 404],
  ['a URL with a query', last.replace('/guests', 'http://example.com/guests?a=b'), 400],
  ['an IPv6 address as Host', last.replace('localhost', '[::1]:3000'), 200],
  ['an empty Host', last.replace('localhost', ''), 200],
  ['HTTP/1.0', GOOD.replace('1.1', '1.0'), 200],
  ['HEAD', last.replace('POST /guests', 'HEAD /nowhere'), 404],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 204],
])('an unusual but valid request: %s', async (_name, bytes, status) => {
  const connection = await openRawConnection(usual);
  connection.write(bytes);
  expect(await connection.closed()).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} .*\r\n`));
});

test('an unusual but valid request: a client that half-closes the connection after its request gets the response', async () => {
  const connection = await openRawConnection(usual);
  connection.write(GOOD + GOOD);
  connection.end();
  expect(parseAnswers(await connection.closed()).map(({ status }) => status)).toEqual([200, 200]);
});

test('repeated hostile requests, with clients that disconnect, leak nothing in the service', async () => {
  const service = await startServiceProcess({ DOCS: 'off' }, [...NODE_WITH_MEMORY_REPORT, 'src/main.ts']);
  const round = async (): Promise<void> => {
    const broken = await openMany(service.url, 100);
    broken.forEach((connection, index) => {
      connection.write(GOOD.slice(0, GOOD.length - 1 - index));
    });
    for (const [, bytes, statuses] of HOSTILE_REQUESTS) {
      expect((await attack(service.url, bytes)).map(({ status }) => status)).toEqual(statuses);
    }
    for (const connection of broken) connection.end();
    await Promise.all(broken.map((connection) => connection.closed()));
    await expectHealthy(service.url);
  };
  await round();
  const before = await usedBytes(service);
  for (let rest = rounds(1, 2); rest > 0; rest -= 1) await round();

  expect((await usedBytes(service)) - before).toBeLessThan(5_000_000);
  service.process.kill('SIGTERM');
  const { code, stdout, stderr } = await service.outcome;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toContain('"level":50');
});
