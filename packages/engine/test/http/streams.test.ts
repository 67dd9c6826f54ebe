import compression from 'compression';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '@contract-first/database';
import type { Middleware } from '@contract-first/engine';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { until } from '@contract-first/testing/until.ts';

const DOCUMENT = `
openapi: 3.2.0
info: { title: Streams, version: 1.0.0 }
security: []
paths:
  /rows: { get: { operationId: rows, responses: { '200': { description: Rows., content: {
    application/jsonl: { itemSchema: { $ref: '#/components/schemas/Row' } },
    text/event-stream: { itemSchema: { $ref: '#/components/schemas/Event' } },
    text/csv: { schema: { type: string } },
    image/png: { schema: { maxLength: 8, minLength: 2 } } } } } } }
components:
  schemas:
    Row: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
    Event: { type: object, properties: { data: { type: string }, event: { type: string }, id: { type: string }, retry: { type: integer } } }
`;

type Input = { readonly signal: AbortSignal };

/** Serves a body of a media type. */
async function serve(
  contentType: string,
  body: (input: Input) => unknown,
  middleware: readonly Middleware[] = [],
  headers: Readonly<Record<string, string>> = {},
) {
  const contract = await contractOf(DOCUMENT);
  const rows = (input: Input) => Promise.resolve({ status: 200, contentType, headers, body: body(input) });
  const app = await createTestApp({ contract, handlers: { rows }, middleware });
  const { url, stop } = await app.serve();
  return { ...app, stop, url: `${url}/rows` };
}

async function* generate<Item>(...items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) yield await Promise.resolve(item);
}

async function* count(onEnd: () => void, from = 1n): AsyncGenerator<{ readonly id: bigint }> {
  try {
    for (let id = from; ; id += 1n) yield await Promise.resolve({ id });
  } finally {
    onEnd();
  }
}

const EVENTS = [{ event: 'add', id: '1', data: 'two\nlines' }, { retry: 500, data: '' }, { data: '{"n":1}' }];

test.each<[string, string, () => unknown, string]>([
  [
    'values as lines',
    'application/jsonl',
    () => generate({ id: 1n }, { id: 2n ** 60n }),
    `{"id":1}\n{"id":${String(2n ** 60n)}}\n`,
  ],
  [
    'events',
    'text/event-stream',
    () => generate(...EVENTS),
    'event: add\nid: 1\ndata: two\ndata: lines\n\nretry: 500\ndata: \n\ndata: {"n":1}\n\n',
  ],
  ['text', 'text/csv', () => generate<string | Buffer>('a,b\r\n', 'ü,', Buffer.from('2\r\n')), 'a,b\r\nü,2\r\n'],
  ['a Readable', 'text/csv', () => Readable.from(['a', 'b']), 'ab'],
  ['a web stream', 'image/png', () => new Blob(['abc']).stream(), 'abc'],
  ['nothing', 'text/csv', () => generate(), ''],
  ['much text', 'text/csv', () => generate(...Array<string>(100).fill('x'.repeat(1_000))), 'x'.repeat(100_000)],
])('a body that is streamed %s', async (_name, contentType, body, text) => {
  const { url } = await serve(contentType, body);
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
  expect(await response.text()).toBe(text);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

const ROW = `${'x,'.repeat(500)}\n`;
const LONG = ROW.repeat(500);
const ROWS = Array<string>(500).fill(ROW);

test.each<[string, string, () => unknown, string]>([
  ['a Blob', 'image/png', () => new Blob(['abcdef']), 'abcdef'],
  ['short text', 'text/csv', () => generate('a,', 'b'), 'a,b'],
  ['much text', 'text/csv', () => generate(...ROWS), LONG],
  ['a long chunk', 'text/csv', () => generate(LONG, 'end'), `${LONG}end`],
  ['bytes', 'text/csv', () => generate(...ROWS.map((row) => Buffer.from(row))), LONG],
])('a body that is streamed through compressing middleware is complete: %s', async (_name, type, body, text) => {
  const { url, logged } = await serve(type, body, [compression({ threshold: 0, filter: () => true })]);
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  expect(await response.text()).toBe(text);
  await until(() => logged.length, 1);
  expect(logged[0]).not.toHaveProperty('isIncomplete');
});

test('a body that is streamed through middleware whose write() returns nothing is complete', async () => {
  const silent: Middleware = (_req, res, next) => {
    const write = res.write.bind(res) as (chunk: unknown) => boolean;
    res.write = ((chunk: unknown): void => void write(chunk)) as unknown as typeof res.write; // As a mistaken logger does.
    next();
  };
  const { url } = await serve('text/csv', () => generate(...ROWS), [silent]);
  expect(await (await fetch(url)).text()).toBe(LONG);
});

test('events are sent at once through compressing middleware, while the source waits', async () => {
  const sent = Promise.withResolvers<undefined>();
  const source = async function* () {
    yield { data: 'first' };
    await sent.promise;
    yield { data: 'x'.repeat(10_000) };
  };
  const { url } = await serve('text/event-stream', source, [compression({ filter: () => true })]);
  const response = await fetch(url);
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect((await reader.read()).value).toBe('data: first\n\n');
  sent.resolve(undefined);
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
  expect(rest).toHaveLength(10_008);
});

test('the source of a compressed stream is read only as fast as the client reads', async () => {
  let taken = 0;
  let isEnded = false;
  const source = async function* () {
    try {
      for (; ; taken += 1) yield await Promise.resolve(randomBytes(10_000));
    } finally {
      isEnded = true;
    }
  };
  const { url } = await serve('text/csv', source, [compression()]);
  const reader = (await fetch(url)).body?.getReader();
  await untilUnchanged(() => taken);
  expect(taken).toBeLessThan(5_000); // Sockets have buffers.
  await reader?.cancel();
  await until(() => isEnded, true);
});

test('a streamed Blob has a Content-Length', async () => {
  const { url } = await serve('image/png', () => new Blob(['abc']));
  expect((await fetch(url)).headers.get('content-length')).toBe('3');
});

test('a stream of events begins before the first event', async () => {
  const { url } = await serve('text/event-stream', async function* ({ signal }) {
    await once(signal, 'abort');
    yield { data: 'late' };
  });
  expect((await fetch(url)).status).toBe(200);
});

test('the source of a streamed body is read only as fast as the client reads', async () => {
  let taken = 0;
  const { url } = await serve('text/csv', async function* () {
    for (; ; taken += 1) yield await Promise.resolve('x'.repeat(10_000));
  });
  const response = await fetch(url);
  const reader = response.body?.getReader();
  await untilUnchanged(() => taken);
  expect(taken).toBeLessThan(5_000); // Sockets have buffers.
  await reader?.cancel();
});

test.each<[string, string, (end: () => void) => (input: Input) => unknown]>([
  ['a generator is ended', 'application/jsonl', (end) => () => count(end)],
  ['a waiting Readable is destroyed', 'text/csv', (end) => () => waitingReadable(end)],
  [
    'the signal of a waiting generator is aborted',
    'text/csv',
    (end) =>
      async function* ({ signal }) {
        yield 'x';
        // The client may have disconnected before the generator continues.
        if (!signal.aborted) await once(signal, 'abort');
        end();
      },
  ],
])(
  'when the client disconnects, %s, and the log and the metrics report an incomplete response',
  async (_name, contentType, sourceOf) => {
    let ended = 0;
    const { url, logged, metrics } = await serve(
      contentType,
      sourceOf(() => (ended += 1)),
    );
    const client = request(url).end();
    const [response] = (await once(client, 'response')) as [Readable];
    await once(response, 'data');
    client.destroy();
    await until(() => ended, 1);
    // A client of another test may still send requests to the reused port.
    const requests = (): readonly object[] => logged.filter(({ operationId }) => operationId === 'rows');
    await until(() => requests().length, 1);
    expect(requests()).toMatchObject([{ status: 200, isIncomplete: true }]);
    expect(await metrics()).toContain('\nhttp_responses_incomplete_total{operation="rows"} 1\n');
  },
);

/** Waits until a number is unchanged for a while. */
async function untilUnchanged(read: () => number): Promise<void> {
  await until(async () => {
    const before = read();
    await sleep(200);
    return read() === before;
  }, true);
}

/** Creates a stream that never continues after its first chunk. */
function waitingReadable(onDestroy: () => void): Readable {
  const destroy = (_error: Error | null, done: () => void): void => {
    onDestroy();
    done();
  };
  const readable = new Readable({ read: () => undefined, destroy });
  readable.push('x');
  return readable;
}

const failing = (error: Error) =>
  async function* () {
    await Promise.resolve();
    throw error;
    yield ''; // Determines the type of the generator.
  };

test('an error of the source before the first chunk is an error response: 500, or 503 when the database is unavailable', async () => {
  const broken = await serve('text/csv', failing(new Error('secret')));
  const response = await fetch(broken.url);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toMatch(/secret/);
  expect(broken.logged).toMatchObject([{ msg: 'request failed', err: { message: 'secret' } }, { status: 500 }]);
  const unavailable = await serve('text/csv', failing(new DatabaseUnavailable('gone')));
  expect((await fetch(unavailable.url)).status).toBe(503);
});

test.each<[string, string, () => unknown]>([
  [
    'an error',
    'text/csv',
    async function* () {
      yield 'a';
      await sleep(50);
      throw new Error('broken');
    },
  ],
  ['an item that does not conform', 'application/jsonl', () => generate({ id: 1n }, { id: 'x' })],
  ['more bytes than documented', 'image/png', () => generate('1234', '56789')],
  ['fewer bytes than documented', 'image/png', () => generate('1')],
  ['a value that is not text', 'text/csv', () => generate<unknown>('a', 1)],
])(
  'an error of the source after the first chunk, %s closes the connection, and is logged',
  async (_name, contentType, body) => {
    const { url, logged } = await serve(contentType, body);
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    await until(() => logged.length, 2);
    expect(logged).toMatchObject([{ level: 50, msg: 'request failed' }, { isIncomplete: true }]);
  },
);

test.each(['3', '9'])(
  'a body that does not have its Content-Length closes the connection, and is logged: %s instead of 4',
  async (length) => {
    const source = async function* () {
      yield 'ab';
      await sleep(50); // The text is sent at the end of a turn.
      yield 'cd';
    };
    const { url, logged } = await serve('text/csv', source, [], { 'Content-Length': length });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    await until(() => logged.length, 2);
    expect(logged).toMatchObject([{ level: 50, msg: 'request failed' }, { isIncomplete: true }]);
  },
);

test('when the service stops, streams that observe the signal end, and other streams are sent completely', async () => {
  const endless = await serve('text/event-stream', async function* ({ signal }) {
    while (!signal.aborted) {
      yield { data: 'x' };
      await sleep(10_000, undefined, { signal }).catch(() => undefined);
    }
  });
  const response = await fetch(endless.url);
  expect(await endless.stop(5_000)).toBe(true);
  expect(await response.text()).toBe('data: x\n\n');

  const finite = await serve('text/csv', async function* () {
    yield 'a';
    await sleep(500);
    yield 'b';
  });
  const last = await fetch(finite.url);
  expect(await finite.stop(5_000)).toBe(true);
  expect(await last.text()).toBe('ab');
});

test('an event stream gets comments while it is quiet, but none within an event', async () => {
  const events = async function* () {
    yield 'data: a\n\n';
    await sleep(50);
    yield 'data: b\n';
    await sleep(50);
    yield 'data: c\n\n';
  };
  const contract = await contractOf(
    documentOf('/rows', 'get', "responses: { '200': { description: Events., content: { text/event-stream: {} } } }"),
  );
  const op = () => Promise.resolve({ status: 200, body: events() });
  const read = async (eventStreamQuietMs: number) => {
    const { serve: listen } = await createTestApp({ contract, handlers: { op }, eventStreamQuietMs });
    return fetch(`${(await listen()).url}/rows`);
  };
  const response = await read(1);
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(await response.text()).toMatch(/^data: a\n\n(?::\n\n)+data: b\ndata: c\n\n$/);
  expect(await (await read(0)).text()).toBe('data: a\n\ndata: b\ndata: c\n\n');
});
