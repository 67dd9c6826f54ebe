import { createHash, randomBytes } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import request from 'supertest';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { serveBody } from './support/serve-body.ts';

const LARGE = randomBytes(1_000_000);
const FORM = `multipart/form-data: { schema: { type: object, required: [note], properties: {
  note: { type: string }, sizes: { type: array, items: { type: integer } },
  first: { type: string, format: binary }, rest: { type: array, items: { type: string, format: binary } } } } }`;
const ECHO = `
requestBody: { required: true, content: { image/png: { schema: { minLength: 10 } }, ${FORM} } }
responses: { '200': { description: The same bytes., content: { image/png: {} } }, '204': { description: None. } }`;

type Handle = (input: { readonly body: Blob & Readonly<Record<string, unknown>> }) => Promise<AnyReply>;

/** Serves POST /a with bodies of up to 4 MB. */
async function serve(handle: Handle, config: Partial<Parameters<typeof createTestApp>[0]> = {}) {
  const contract = await contractOf(documentOf('/a', 'post', `x-body-limit-bytes: 4000000${ECHO}`));
  const app = await createTestApp({ contract, handlers: { op: handle }, ...config });
  return { ...app, url: `${(await app.serve()).url}/a` };
}

function form(entries: Readonly<Record<string, readonly (string | Buffer<ArrayBuffer>)[]>>): FormData {
  const data = new FormData();
  for (const [name, values] of Object.entries(entries)) {
    for (const value of values) {
      if (typeof value === 'string') data.append(name, value);
      else data.append(name, new Blob([value], { type: 'image/png' }), `${name}.png`);
    }
  }
  return data;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test.each([10, 262_144, 262_145, 1_000_000])(
  'a large upload of %d bytes is a Blob that can be streamed back',
  async (size) => {
    const { url } = await serve(async ({ body }) => ({ status: 200, body }));
    const bytes = LARGE.subarray(0, size);
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'image/png' }, body: bytes });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(size)]);
    expect(sha256(await response.bytes())).toBe(sha256(bytes));
  },
);

test('a large upload in a form has exact fields and files, in any order', async () => {
  let received: Readonly<Record<string, unknown>> = {};
  const { url } = await serve(async ({ body }) => {
    const { note, sizes, first, rest } = body as unknown as { first: File; rest: File[] } & typeof received;
    const hashes = [first, ...rest].map(async (file) => sha256(await file.bytes()));
    received = { note, sizes, first: [first.name, first.type], hashes: await Promise.all(hashes) };
    return { status: 204 };
  });
  const files = [LARGE.subarray(0, 400_000), LARGE.subarray(7, 8), LARGE.subarray(0, 0), LARGE];
  const [first, ...rest] = files;
  const body = form({ rest, sizes: ['1', '22'], first: [first as Buffer<ArrayBuffer>], note: ['ü'.repeat(10_000)] });
  expect((await fetch(url, { method: 'POST', body })).status).toBe(204);
  const hashes = files.map(sha256);
  expect(received).toEqual({ note: 'ü'.repeat(10_000), sizes: [1, 22], first: ['first.png', 'image/png'], hashes });
});

test('a large upload can no longer be read after the response, even during another upload', async () => {
  const kept: Blob[] = [];
  const readings: string[] = [];
  const { url } = await serve(async ({ body }) => {
    kept.push(body);
    for (const blob of kept)
      readings.push(
        await blob
          .slice(0, 10)
          .bytes()
          .then(sha256, () => 'failed'),
      );
    return { status: 204 };
  });
  for (const fill of ['a', 'b', 'c']) {
    const body = Buffer.alloc(1_000_000, fill);
    expect((await fetch(url, { method: 'POST', headers: { 'Content-Type': 'image/png' }, body })).status).toBe(204);
  }
  const [a, b, c] = ['a', 'b', 'c'].map((fill) => sha256(Buffer.alloc(10, fill)));
  expect(readings).toEqual([a, 'failed', b, 'failed', 'failed', c]);
});

test('a large upload does not count for BODY_MEMORY_LIMIT_BYTES while it is handled', async () => {
  const gate = Promise.withResolvers<undefined>();
  const limits = {
    inFlightLimit: 100,
    bodyMemoryLimitBytes: 1_100_000,
    streamLimit: 100,
    eventLoopDelayLimitMs: 60_000,
  };
  let handled = 0;
  const handle: Handle = async () => {
    handled += 1;
    if (handled === 6) gate.resolve(undefined);
    await gate.promise;
    return { status: 204 };
  };
  const { url } = await serve(handle, { loadShedding: limits });
  const send = async () =>
    (await fetch(url, { method: 'POST', headers: { 'Content-Type': 'image/png' }, body: LARGE })).status;
  const answers: Promise<number>[] = [];
  for (let sent = 0; sent < 6; sent += 1) {
    answers.push(send());
    while (handled <= sent) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await Promise.all(answers)).toEqual(Array<number>(6).fill(204));
});

const SIZED = `{ content: { image/png: { schema: { maxLength: 500000 } }, multipart/form-data: { schema: { type: object,
    properties: { photo: { type: string, format: binary, maxLength: 500000 } } } } } }`;
const partOf = (name: string): string => `--x\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`;

test.each<[string, string, string, number, RegExp]>([
  ['bytes', 'image/png', '', 400, /^body must not be larger than 500000 bytes$/],
  ['a file', 'multipart/form-data; boundary=x', partOf('photo'), 400, /^body\/photo must not be larger than 500000/],
  [
    'text',
    'multipart/form-data; boundary=x',
    partOf('note').replace('; filename="x"', ''),
    413,
    /^the fields of the form must not be larger than 100000 bytes$/,
  ],
])('a part that is too large is rejected while it arrives: %s', async (_name, contentType, head, status, message) => {
  const { app } = await serveBody(SIZED);
  const server = createServer(app).listen(0);
  const { port } = server.address() as { port: number };
  const headers = { 'Content-Type': contentType, 'Content-Length': '550000' };
  const response = await new Promise<{ status?: number; body: { detail: string } }>((resolve, reject) => {
    const client = httpRequest({ port, path: '/a', method: 'POST', headers }, (answer) => {
      void answer.toArray().then((chunks) => {
        const body = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as { detail: string };
        resolve({ status: answer.statusCode ?? 0, body });
      });
    });
    client.on('error', reject).write(head + 'x'.repeat(510_000)); // The request stays incomplete.
  });
  server.close();
  expect(response).toMatchObject({ status, body: { detail: expect.stringMatching(message) } });
});

test('problems with other parts or the total size are still found', async () => {
  const { url } = await serve(async () => ({ status: 204 }));
  const send = async (body: FormData) => {
    const response = await fetch(url, { method: 'POST', body });
    return [response.status, await response.text()];
  };
  expect(await send(form({ first: [LARGE] }))).toEqual([400, expect.stringContaining("required property 'note'")]);
  expect(await send(form({ note: ['x'], rest: [LARGE, LARGE, LARGE, LARGE] }))).toEqual([
    413,
    expect.stringContaining('must not be larger than 4000000 bytes'),
  ]);
});

test('an operation with uploads may have a larger limit than BODY_MEMORY_LIMIT_BYTES', async () => {
  const limits = {
    inFlightLimit: 100,
    bodyMemoryLimitBytes: 1_000_000,
    streamLimit: 100,
    eventLoopDelayLimitMs: 60_000,
  };
  const { app } = await serve(async () => ({ status: 204 }), { loadShedding: limits });
  expectProblem(await request(app).post('/a').type('image/png').send(Buffer.alloc(9)), 400, /smaller than 10 bytes/);
});
