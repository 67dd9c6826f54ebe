import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as openRequest, type IncomingMessage } from 'node:http';
import { brotliCompressSync, constants, createZstdCompress, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { RequestOf } from '@contract-first/contract';
import { createTestApp, type Overrides } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

type Post = RequestOf<{
  readonly parameters: object;
  readonly requestBody: {
    content: { 'application/json': { name?: string; file?: Blob }; 'application/octet-stream': Blob };
  };
  readonly responses: object;
}>;

const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
const OPERATION = `requestBody:
  content:
    application/json: { schema: { type: object, properties: { name: { type: string } } } }
    application/octet-stream: {}
    multipart/form-data: { schema: { type: object, properties: { file: { type: string, format: binary } } } }
responses: { '200': { description: It., content: { text/plain: {} } } }`;
const JSON_BODY = JSON.stringify({ name: 'Anna' });
const LIMITS = {
  inFlightLimit: 10,
  bodyMemoryLimitBytes: 3_000_000,
  streamLimit: 10,
  eventLoopDelayLimitMs: 60_000,
};

/** Serves an operation that responds with the received name, or with the size of the received bytes. */
async function serve(overrides: Overrides = {}) {
  const contract = await contractOf(documentOf('/a', 'post', OPERATION));
  const op = async ({ body }: Post) => {
    if (body instanceof Blob) return { status: 200, body: String((await body.bytes()).length) };
    return { status: 200, body: body.name ?? String(body.file?.size) };
  };
  const app = await createTestApp(
    { contract, handlers: { op }, decompressRequests: true, ...overrides },
    undefined,
    LIMITS,
  );
  const { url } = await app.serve();
  return async (coding: string, body: Uint8Array, type = 'application/json', isSplit = false) => {
    const headers = { 'Content-Encoding': coding, 'Content-Type': type };
    const req = openRequest(`${url}/a`, { method: 'POST', headers });
    req.on('error', () => undefined);
    const responding = once(req, 'response') as Promise<[IncomingMessage]>;
    if (isSplit) for (const byte of body) req.write(Uint8Array.of(byte));
    req.end(isSplit ? undefined : body);
    const [res] = await responding;
    const text = Buffer.concat(await Array.fromAsync<Buffer>(res)).toString();
    return { status: res.statusCode, text, accepted: res.headers['accept-encoding'] };
  };
}

const FORM = `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(5_000)}\r\n--b--`;

test.each(Object.entries(CODINGS))('a body with %s is decompressed', async (coding, compress) => {
  const send = await serve();
  const done = { status: 200, text: 'Anna' };
  expect(await send(coding, compress(JSON_BODY))).toMatchObject(done);
  expect(await send(coding.toUpperCase(), compress(JSON_BODY), 'application/json', true)).toMatchObject(done);
  const bytes = compress(Buffer.alloc(900_000));
  expect(await send(coding, bytes, 'application/octet-stream')).toMatchObject({ status: 200, text: '900000' });
  const form = compress(FORM);
  expect(await send(coding, form, 'multipart/form-data; boundary=b')).toMatchObject({ status: 200, text: '5000' });
  const invalid = await send(coding, compress('{"name":1}'));
  expect(invalid).toMatchObject({ status: 400, text: expect.stringContaining('name must be string') });
});

/** Compresses a text to three zstd frames with checksums, one of them empty, between frames without content. */
function framesOf(text: string): Buffer {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  const frames = [text.slice(0, 5), '', text.slice(5)].map((part) => zstdCompressSync(part, { params }));
  const skippable = Buffer.from('502a4d18020000000102', 'hex');
  return Buffer.concat([skippable, ...frames, skippable]);
}

test('x-gzip means gzip, identity means no coding, and gzip and zstd may have several parts', async () => {
  const send = await serve();
  for (const isSplit of [false, true])
    expect(await send('zstd', framesOf(JSON_BODY), 'application/json', isSplit)).toMatchObject({
      status: 200,
      text: 'Anna',
    });
  const large = Buffer.concat([1, 2].map((seed) => zstdCompressSync(randomBytes(seed * 200_000))));
  expect(await send('zstd', large, 'application/octet-stream')).toMatchObject({ status: 200, text: '600000' });
  const many = Buffer.concat(Array.from({ length: 1_001 }, () => zstdCompressSync(' ')));
  expect(await send('zstd', many)).toMatchObject({ status: 400, text: expect.stringContaining('1000 frames') });
  for (const [coding, body] of [
    ['x-gzip', gzipSync(JSON_BODY)],
    ['identity', Buffer.from(JSON_BODY)],
    ['gzip', Buffer.concat([gzipSync(JSON_BODY.slice(0, 5)), gzipSync(JSON_BODY.slice(5))])],
  ] as const)
    expect(await send(coding, body)).toMatchObject({ status: 200, text: 'Anna' });
});

test.each(Object.keys(CODINGS))('an empty body with %s is an empty body', async (coding) => {
  const contract = await contractOf(documentOf('/a', 'post', OPERATION));
  const op = async ({ body }: Post) => ({
    status: 200,
    body: body instanceof Blob ? `${String(body.size)} bytes` : typeof body,
  });
  const { serve: listen } = await createTestApp({ contract, handlers: { op }, decompressRequests: true });
  const url = `${(await listen()).url}/a`;
  for (const [type, text] of [
    ['application/json', 'undefined'],
    ['application/octet-stream', '0 bytes'],
  ] as const) {
    const headers = { 'Content-Encoding': coding, 'Content-Type': type };
    for (const body of ['', new Blob([]).stream()])
      expect(await (await fetch(url, { method: 'POST', headers, body, duplex: 'half' })).text()).toBe(text);
  }
});

test.each(Object.entries(CODINGS))('a body with malformed %s is answered 400', async (coding, compress) => {
  const send = await serve();
  for (const [type, text] of [
    ['application/json', JSON_BODY],
    ['application/octet-stream', JSON_BODY],
    ['multipart/form-data; boundary=b', FORM],
  ] as const) {
    const bytes = compress(text);
    const bodies = [
      bytes.subarray(0, -3),
      bytes.subarray(0, 5),
      Buffer.from(text),
      Buffer.concat([bytes, Buffer.from('trailing')]),
    ];
    for (const body of bodies)
      for (const isSplit of [false, true])
        expect(await send(coding, body, type, isSplit)).toMatchObject({
          status: 400,
          text: expect.stringContaining(coding),
        });
  }
});

test.each(Object.entries(CODINGS))(
  'a body with %s that expands beyond the limit is answered 413',
  async (coding, compress) => {
    const send = await serve();
    const bomb = compress(Buffer.alloc(20_000_000, ' '));
    expect(bomb.length).toBeLessThan(30_000);
    for (const type of ['application/json', 'application/octet-stream'])
      expect(await send(coding, bomb, type)).toMatchObject({ status: 413, text: expect.stringContaining('1048576') });
    const exact = compress(Buffer.alloc(1_048_576));
    expect(await send(coding, exact, 'application/octet-stream')).toMatchObject({ status: 200, text: '1048576' });
  },
);

test('a bomb is answered 413 while it arrives', async () => {
  const contract = await contractOf(documentOf('/a', 'post', OPERATION));
  const app = await createTestApp({ contract, handlers: {}, production: false, decompressRequests: true });
  const { url } = await app.serve();
  const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' };
  const req = openRequest(`${url}/a`, { method: 'POST', headers });
  req.on('error', () => undefined);
  req.write(gzipSync(Buffer.alloc(20_000_000)).subarray(0, -10));
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  expect(res.statusCode).toBe(413);
  req.destroy();
});

test('zstd whose window is larger than 8 MiB is answered 400', async () => {
  const encoder = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } });
  encoder.write(JSON_BODY);
  encoder.end();
  const body = Buffer.concat(await Array.fromAsync<Buffer>(encoder));
  expect(await (await serve())('zstd', body)).toMatchObject({ status: 400 });
});

test.each(['gzip, gzip', 'gzip, identity', 'compress', 'constructor', '*'])(
  'Content-Encoding: %s is answered 415',
  async (coding) => {
    const send = await serve();
    const accepted = 'gzip, deflate, br, zstd';
    expect(await send(coding, gzipSync(gzipSync(JSON_BODY)))).toMatchObject({ status: 415, accepted });
  },
);

test('without DECOMPRESS_REQUESTS, each coding is answered 415', async () => {
  const send = await serve({ decompressRequests: false });
  for (const [coding, compress] of Object.entries(CODINGS))
    expect(await send(coding, compress(JSON_BODY))).toMatchObject({ status: 415, accepted: 'identity' });
});

test('the memory of decoders counts as memory of bodies', async () => {
  const contract = await contractOf(documentOf('/a', 'post', OPERATION));
  const op = async () => ({ status: 200, body: 'done' });
  const app = await createTestApp({ contract, handlers: { op }, decompressRequests: true }, undefined, LIMITS);
  const { url } = await app.serve();
  const headers = { 'Content-Encoding': 'br', 'Content-Type': 'application/json' };
  const waiting = Array.from({ length: 3 }, () =>
    openRequest(`${url}/a`, { method: 'POST', headers: { ...headers, Expect: '100-continue' } }),
  );
  for (const req of waiting) {
    req.on('error', () => undefined).flushHeaders();
    await Promise.race([once(req, 'continue'), once(req, 'response')]);
  }
  const response = await fetch(`${url}/a`, { method: 'POST', headers, body: brotliCompressSync(JSON_BODY) });
  expect(response.status).toBe(503);
  for (const req of waiting) req.destroy();
});
