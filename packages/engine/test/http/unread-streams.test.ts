import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestApp, type Overrides } from '@contract-first/testing/app.ts';
import { openRawConnection, sendUnread } from '@contract-first/testing/connection.ts';
import { contractOf } from '@contract-first/testing/contract.ts';
import { until } from '@contract-first/testing/until.ts';

const DOCUMENT = `
openapi: 3.2.0
info: { title: Streams, version: 1.0.0 }
security: []
paths:
  /rows: { get: { operationId: rows, responses: { '200': { description: Rows., content: {
    application/jsonl: { itemSchema: { type: object, properties: { text: { type: string } } } } } } } } }
  /now: { get: { operationId: now, responses: { '204': { description: Now. } } } }
`;
const LIMITS = {
  inFlightLimit: 1_000,
  bodyMemoryLimitBytes: 1_048_576,
  streamLimit: 1_000,
  eventLoopDelayLimitMs: 60_000,
};
const ROW = { text: 'x'.repeat(1_000) };

/** Serves a stream with a source, and an operation that responds at once. */
async function serve(source: () => AsyncIterable<object>, overrides: Overrides = {}, streamLimit = 1_000) {
  const contract = await contractOf(DOCUMENT);
  const handlers = {
    rows: () => Promise.resolve({ status: 200, contentType: 'application/jsonl', body: source() }),
    now: () => Promise.resolve({ status: 204 }),
  };
  const app = await createTestApp({ ...overrides, contract, handlers }, undefined, { ...LIMITS, streamLimit });
  return { ...app, ...(await app.serve()) };
}

/** Requests the stream without reading the response. */
const openUnread = (url: string, version = '1.1'): Promise<Socket> =>
  sendUnread(url, `GET /rows HTTP/${version}\r\nHost: x\r\n\r\n`);

async function* endless(): AsyncGenerator<object> {
  for (;;) yield await Promise.resolve(ROW);
}

/** Blocks the event loop, like CPU-bound work of an application. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('200 unread streams do not block other requests', async () => {
  let taken = 0;
  const source = async function* (): AsyncGenerator<object> {
    for (; ; taken += 1) yield await Promise.resolve(ROW);
  };
  const { url } = await serve(source);
  await fetch(`${url}/now`); // The first request loads the client.
  await Promise.all(Array.from({ length: 200 }, () => openUnread(url)));
  for (let requests = 0; requests < 20; requests += 1) {
    const before = taken;
    expect((await fetch(`${url}/now`)).status).toBe(204);
    // The streams read some 700,000 rows before the buffers of the connections are full.
    expect(taken - before).toBeLessThan(50_000);
  }
  expect(taken).toBeGreaterThan(0);
});

test('200 streams that are requested at once are opened one by one, and other requests are served meanwhile', async () => {
  let opened = 0;
  const { url } = await serve(() => {
    opened += 1;
    work(2);
    return endless();
  });
  const clients = await Promise.all(Array.from({ length: 200 }, () => sendUnread(url, '')));
  await fetch(`${url}/now`); // By then, all connections have been accepted.
  for (const client of clients) client.write('GET /rows HTTP/1.1\r\nHost: x\r\n\r\n');
  expect((await fetch(`${url}/now`)).status).toBe(204);
  expect(opened).toBeLessThan(200);
  await until(() => opened, 200);
});

test('pipelines of 200 requests each are served in parts, and requests of other connections meanwhile', async () => {
  let served = 0;
  const contract = await contractOf(DOCUMENT);
  const handlers = {
    rows: () => Promise.resolve({ status: 200, contentType: 'application/jsonl', body: endless() }),
    now: () => {
      served += 1;
      work(0.2);
      return Promise.resolve({ status: 204 });
    },
  };
  const { url } = await (await createTestApp({ contract, handlers })).serve();
  const clients = await Promise.all(Array.from({ length: 10 }, () => openRawConnection(url)));
  await fetch(`${url}/now`); // By then, all connections have been accepted.
  const requests = 'GET /now HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200);
  for (const client of clients) client.write(requests);
  expect((await fetch(`${url}/now`)).status).toBe(204);
  expect(served).toBeLessThan(2_000);
  await until(() => served, 2_002);
});

test('503 for a stream beyond STREAM_LIMIT, until another stream ends', async () => {
  const { url, refused } = await serve(endless, {}, 2);
  const [first] = [await openUnread(url), await openUnread(url)];
  const status = async (path: string): Promise<number> => {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status;
  };
  await until(() => status('/rows'), 503);
  expect(await status('/now')).toBe(204);
  expect(await refused()).toContain('streams');
  first.destroy();
  await until(() => status('/rows'), 200);
});

test('a stream that the client does not read for STREAM_STALL_TIMEOUT_MS is cut off, and its source is closed', async () => {
  let isEnded = false;
  const source = async function* (): AsyncGenerator<object> {
    try {
      yield* endless();
    } finally {
      isEnded = true;
    }
  };
  const { url, logged } = await serve(source, { streamStallTimeoutMs: 100 });
  await openUnread(url);
  await until(() => isEnded, true);
  await until(() => logged.some((line) => line['isIncomplete'] === true), true);
});

test('a stream whose source waits longer than STREAM_STALL_TIMEOUT_MS is not cut off', async () => {
  const source = async function* (): AsyncGenerator<object> {
    yield ROW;
    await sleep(500);
    yield ROW;
  };
  const { url } = await serve(source, { streamStallTimeoutMs: 50 });
  expect((await (await fetch(`${url}/rows`)).text()).trim().split('\n')).toHaveLength(2);
});

test('a stream pipelined behind an unread stream is also cut off, and both sources are closed', async () => {
  let [started, ended] = [0, 0];
  const source = async function* (): AsyncGenerator<object> {
    started += 1;
    try {
      yield* endless();
    } finally {
      ended += 1;
    }
  };
  const { url } = await serve(source, { streamStallTimeoutMs: 100 });
  const socket = await openUnread(url);
  socket.write('GET /rows HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => started > 0 && started === ended && socket.resume().destroyed, true);
});

test('HEAD of a stream reads at most one row, and closes the source', async () => {
  let [taken, isEnded] = [0, false];
  const source = async function* (): AsyncGenerator<object> {
    try {
      for (;;) {
        taken += 1;
        yield await Promise.resolve(ROW);
      }
    } finally {
      isEnded = true;
    }
  };
  const { url } = await serve(source);
  const response = await fetch(`${url}/rows`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jsonl']);
  await until(() => isEnded, true);
  expect(taken).toBeLessThan(2);
});

test('over HTTP/1.0, where the end of the connection ends the body, a stream that fails resets the connection', async () => {
  const source = async function* (): AsyncGenerator<object> {
    yield ROW;
    await sleep(50); // The first row is being read.
    throw new Error('the source failed');
  };
  const { url } = await serve(source);
  const socket = await openUnread(url, '1.0');
  const failed = once(socket, 'error'); // Does not reject: the awaited event is the error.
  socket.resume();
  expect(await failed).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
});
