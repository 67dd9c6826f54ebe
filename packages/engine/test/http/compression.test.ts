import { once } from 'node:events';
import { get, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, createGunzip, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { RequestOf } from '@contract-first/contract';
import { createTestApp, TOKEN, type Overrides } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { until } from '@contract-first/testing/until.ts';

const TEXT = 'plants grow slowly. '.repeat(100);
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

type Given = Overrides & {
  readonly mediaType?: string;
  readonly method?: 'get' | 'put';
  /** Further lines of the operation. */
  readonly operation?: string;
  readonly rest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => unknown;
};

type Sent = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> };

/** Serves an operation, and returns the function that sends requests to it. */
async function serve({
  mediaType = 'text/plain',
  method = 'get',
  operation = '',
  rest,
  headers = {},
  body = () => TEXT,
  ...overrides
}: Given = {}) {
  const names = Object.keys({ ETag: '', Vary: '', ...headers });
  const documented = `headers: { ${names.map((name) => `${name}: { schema: { type: string } }`).join(', ')} }`;
  const responses = `responses:
  '200': { description: It., ${documented}, content: { ${mediaType}: {} } }
  '304': { description: Same. }
  '412': { description: Changed. }`;
  const contract = await contractOf(documentOf('/a', method, `${responses}\n${operation}`, rest));
  const op = async ({ assertMatch }: RequestOf<{ readonly parameters: object; readonly responses: object }>) => {
    if (method === 'put') assertMatch({ etag: headers['ETag'] ?? '"1"' });
    return { status: 200, headers, body: body() };
  };
  const { serve: listen } = await createTestApp({
    contract,
    handlers: { op },
    compressResponses: 'public',
    ...overrides,
  });
  const { url } = await listen();
  return async ({ method: sent = method.toUpperCase(), headers: fields }: Sent = {}) => {
    const req = request(`${url}/a`, { method: sent, headers: { 'Accept-Encoding': 'gzip', ...fields } }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(res));
    const coding = res.headers['content-encoding'];
    const text = sent === 'HEAD' ? '' : (DECODERS[coding ?? ''] ?? ((plain) => plain))(bytes).toString();
    return { status: res.statusCode, coding, text, sizeBytes: bytes.length, headers: res.headers };
  };
}

test.each([
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, br;q=0.9, zstd;q=0', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0.1, gzip', 'gzip'],
  ['gzip;q=0, *', 'zstd'],
  ['identity;q=0.5, gzip;q=0.4', undefined],
  ['identity, gzip', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=0', undefined],
  ['*;q=0', undefined],
  ['', undefined],
  ['deflate', undefined],
  ['gzip;q=high', undefined],
])('Accept-Encoding: %s selects %s', async (accepted, coding) => {
  const send = await serve();
  const response = await send({ headers: { 'Accept-Encoding': accepted } });
  expect(response).toMatchObject({ status: 200, coding, text: TEXT, headers: { vary: 'Accept-Encoding' } });
  expect(response.headers['content-length']).toBe(String(response.sizeBytes));
  expect(response.sizeBytes < 200).toBe(coding !== undefined);
});

const SECURITY = { rest: 'components: { securitySchemes: { bearer: { type: http, scheme: bearer } } }' };
const COOKIE = 'parameters: [{ name: sid, in: cookie, schema: { type: string } }]';

test.each<[string, Given]>([
  ['by default', { compressResponses: 'off' }],
  ['with credentials', { ...SECURITY, operation: 'security: [bearer: []]' }],
  ['with optional credentials', { ...SECURITY, operation: 'security: [{}, bearer: []]' }],
  ['with cookies', { operation: COOKIE }],
  ['that is short', { body: () => 'x'.repeat(1_023) }],
  ['of an image', { mediaType: 'image/png' }],
  ['of an archive', { mediaType: 'application/zip' }],
  ['of events', { mediaType: 'text/event-stream' }],
  ['that proxies must not change', { headers: { 'Cache-Control': 'public, no-transform' } }],
  ['that has a coding', { headers: { 'Content-Encoding': 'deflate' } }],
  ['with a digest', { headers: { 'Content-Digest': 'sha-256=:AA==:' } }],
])('a response %s is not compressed', async (_name, given) => {
  const send = await serve(given);
  const { coding, headers } = await send({ headers: { Authorization: `Bearer ${TOKEN}` } });
  expect(coding).toBe(given.headers?.['Content-Encoding']);
  expect(headers.vary).toBeUndefined();
});

test.each<[string, Given]>([
  ['with credentials', { ...SECURITY, operation: 'security: [bearer: []]' }],
  ['with cookies', { operation: COOKIE }],
])('COMPRESS_RESPONSES=all: a response %s is compressed', async (_name, given) => {
  const send = await serve({ ...given, compressResponses: 'all' });
  expect(await send({ headers: { Authorization: `Bearer ${TOKEN}` } })).toMatchObject({ coding: 'gzip', text: TEXT });
});

test.each([
  ['application/json', JSON.stringify(TEXT)],
  ['application/problem+json', JSON.stringify(TEXT)],
  ['image/svg+xml', TEXT],
  ['application/javascript; charset=utf-8', TEXT],
])('%s is compressed', async (mediaType, text) => {
  expect(await (await serve({ mediaType }))()).toMatchObject({ coding: 'gzip', text });
});

test('a client that refuses bodies without a coding gets a coding in any case', async () => {
  const send = await serve({ mediaType: 'image/png', body: () => Buffer.from('png') });
  const headers = { 'Accept-Encoding': 'gzip, identity;q=0' };
  expect(await send({ headers })).toMatchObject({ coding: 'gzip', text: 'png' });
});

test.each<[string, () => unknown]>([
  ['whole body', () => TEXT],
  ['Blob', () => new Blob([TEXT])],
  ['stream', () => texts([TEXT])],
])('HEAD has the headers of GET for a compressed %s', async (_name, body) => {
  const send = await serve({ body, headers: { ETag: '"1"' } });
  const [read, head] = [await send(), await send({ method: 'HEAD' })];
  expect(read).toMatchObject({ coding: 'gzip', text: TEXT, headers: { etag: '"1+gzip"' } });
  // The request id differs, and Transfer-Encoding frames a body.
  const named = ({ headers }: typeof read) =>
    Object.entries(headers).filter(([name]) => !['date', 'x-request-id', 'transfer-encoding'].includes(name));
  expect(named(head)).toEqual(named(read));
});

test('the ETag of a compressed response matches in conditions', async () => {
  const send = await serve({ headers: { ETag: '"1"', Vary: 'Accept' } });
  expect((await send()).headers).toMatchObject({ etag: '"1+gzip"', vary: 'Accept, Accept-Encoding' });
  expect((await send({ headers: { 'Accept-Encoding': 'br' } })).headers).toMatchObject({ etag: '"1+br"' });
  const conditional = async (tags: string) => {
    const { status, headers, text } = await send({ headers: { 'If-None-Match': tags } });
    return [status, headers.etag, headers.vary, text];
  };
  const vary = 'Accept, Accept-Encoding';
  expect(await conditional('"1+gzip"')).toEqual([304, '"1+gzip"', vary, '']);
  expect(await conditional('"0", W/"1+gzip"')).toEqual([304, '"1+gzip"', vary, '']);
  expect(await conditional('"1"')).toEqual([304, '"1"', vary, '']);
  expect(await conditional('"2+gzip"')).toEqual([200, '"1+gzip"', vary, TEXT]);
  // The client accepts the coding of its body, but prefers a different coding.
  const accepting = async (accepted: string, tag: string) => {
    const fields = { 'Accept-Encoding': accepted, 'If-None-Match': tag };
    const { status, headers, coding } = await send({ headers: fields });
    return [status, headers.etag, coding];
  };
  expect(await accepting('gzip, br', '"1+gzip"')).toEqual([304, '"1+gzip"', undefined]);
  expect(await accepting('gzip;q=0.5, identity', '"1+gzip"')).toEqual([304, '"1+gzip"', undefined]);
  // A shared cache asks for a client that cannot read the body in the cache.
  expect(await accepting('br', '"1+gzip"')).toEqual([200, '"1+br"', 'br']);
  expect(await accepting('', '"1+gzip"')).toEqual([200, '"1"', undefined]);
  expect(await accepting('br', '"1+gzip", "1"')).toEqual([304, '"1"', undefined]);
  const weak = await serve({ headers: { ETag: 'W/"1"' } });
  expect((await weak()).headers).toMatchObject({ etag: 'W/"1"' });

  const put = await serve({ method: 'put', body: () => 'short' });
  const change = async (tags: string) => (await put({ headers: { 'If-Match': tags } })).status;
  expect([await change('"1+gzip"'), await change('"0+gzip", "1+br"'), await change('"2+gzip"')]).toEqual([
    200, 200, 412,
  ]);
});

test.each<[string, Given]>([
  ['"1+gzip"', {}],
  ['"1+br"', {}],
  ['W/"1+gzip"', {}],
  ['"1+identity"', {}],
  ['"1+gzip"', { body: () => 'short' }],
  ['"1+gzip"', { ...SECURITY, operation: 'security: [bearer: []]' }],
])('the ETag %s of a handler works in conditions', async (etag, given) => {
  const fields = { Authorization: `Bearer ${TOKEN}` };
  const read = await serve({ ...given, headers: { ETag: etag } });
  const change = await serve({ ...given, method: 'put', headers: { ETag: etag } });
  for (const coding of ['gzip', 'identity']) {
    const headers = { ...fields, 'Accept-Encoding': coding };
    const { etag: sent = '' } = (await read({ headers })).headers;
    const same = await read({ headers: { ...headers, 'If-None-Match': sent } });
    expect([same.status, same.headers.etag]).toEqual([304, sent]);
    for (const other of ['"1"', '"1+gzip"', '"1+br"', '"1+identity"'].filter((tag) => tag !== sent))
      expect((await read({ headers: { ...headers, 'If-None-Match': other } })).status).toBe(200);
    const { status } = await change({ headers: { ...fields, 'If-Match': sent } });
    expect(status).toBe(etag.startsWith('W/') ? 412 : 200);
  }
});

test('If-Range with the ETag of a compressed response gets the whole body', async () => {
  const headers = { ETag: '"1+br"' };
  const part = `responses:
  '200': { description: It., headers: { ETag: { schema: { type: string } } }, content: { text/plain: {} } }
  '206': { description: A part., headers: { ETag: { schema: { type: string } } }, content: { text/plain: {} } }`;
  const contract = await contractOf(documentOf('/a', 'get', part));
  const op = async () => ({ status: 200, headers, body: Buffer.from(TEXT) });
  const { serve: listen } = await createTestApp({ contract, handlers: { op }, compressResponses: 'public' });
  const { url } = await listen();
  const statusOf = async (tag: string) =>
    (await fetch(`${url}/a`, { headers: { Range: 'bytes=1-', 'If-Range': tag } })).status;
  expect([await statusOf('"1+br+identity"'), await statusOf('"1+br"')]).toEqual([206, 200]);
});

async function* texts(values: Iterable<string>): AsyncGenerator<string> {
  yield* values;
}

test.each(['gzip', 'br', 'zstd'])('a stream is compressed with %s', async (coding) => {
  const lines = Array.from({ length: 20_000 }, (_value, index) => `line ${String(index)}\n`);
  const send = await serve({ body: () => texts(lines) });
  const response = await send({ headers: { 'Accept-Encoding': coding } });
  expect(response).toMatchObject({ coding, text: lines.join('') });
  expect(response.sizeBytes).toBeLessThan(120_000);
});

test('each line of a compressed stream arrives before the next one is produced', async () => {
  const next = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
  async function* lines() {
    for (const [index, { promise }] of next.entries()) {
      yield `line ${String(index)}\n`;
      await promise;
    }
  }
  const contract = await contractOf(
    documentOf('/a', 'get', "responses: { '200': { description: It., content: { text/plain: {} } } }"),
  );
  const op = async () => ({ status: 200, body: lines() });
  const { serve: listen } = await createTestApp({ contract, handlers: { op }, compressResponses: 'public' });
  const [res] = (await once(
    get(`${(await listen()).url}/a`, { headers: { 'Accept-Encoding': 'gzip' } }),
    'response',
  )) as [IncomingMessage];
  const received: string[] = [];
  for await (const chunk of res.pipe(createGunzip()).setEncoding('utf8')) {
    next[received.push(String(chunk)) - 1]?.resolve(undefined);
  }
  expect(received.join('')).toBe('line 0\nline 1\nline 2\n');
});

test.each(['leaves', 'stalls'])('a compressed stream ends when its client %s', async (way) => {
  let isEnded = false;
  async function* endless() {
    try {
      for (;;) {
        yield Buffer.from(Array.from({ length: 16_384 }, () => Math.random().toString(36)).join(''));
        await sleep(1);
      }
    } finally {
      isEnded = true;
    }
  }
  const contract = await contractOf(
    documentOf('/a', 'get', "responses: { '200': { description: It., content: { text/plain: {} } } }"),
  );
  const op = async () => ({ status: 200, body: endless() });
  const options = { contract, handlers: { op }, compressResponses: 'public', streamStallTimeoutMs: 100 } as const;
  const { serve: listen, metrics } = await createTestApp(options);
  const req = get(`${(await listen()).url}/a`, { headers: { 'Accept-Encoding': 'gzip' } });
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  for (const emitter of [req, res]) emitter.on('error', () => undefined);
  if (way === 'leaves') res.destroy();
  await until(() => isEnded, true);
  expect(await metrics()).toMatch(/^http_streams 0$/m);
  res.destroy();
});

test('a compressed stream whose source fails is incomplete', async () => {
  async function* failing() {
    yield TEXT;
    await sleep(1);
    throw new Error('broken');
  }
  const send = await serve({ body: failing });
  await expect(send()).rejects.toThrow(/aborted|hang up/);
});
