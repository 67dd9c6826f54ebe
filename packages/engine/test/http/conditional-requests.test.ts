import { openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import type { RequestOf } from '@contract-first/contract';
import { createTestApp } from '@contract-first/testing/app.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const ETAG = '"v2"';
const CHANGED = 'Tue, 15 Nov 1994 12:45:26 GMT';
const EARLIER = 'Mon, 14 Nov 1994 12:45:26 GMT';
const LATER = 'Wed, 16 Nov 1994 12:45:26 GMT';
const HEADERS = '{ ETag: { schema: { type: string } }, Last-Modified: { schema: { type: string } } }';
const BYTES = '{ application/octet-stream: {} }';
const DONE = `'200': { description: It., headers: ${HEADERS}, content: ${BYTES} }`;
const CONDITIONAL = "'304': { description: Unchanged. }, '412': { description: Changed. }";
const PART =
  "'206': { description: A part., content: { application/octet-stream: {} } }, '416': { description: Behind. }";

const BODY = Buffer.from('0123456789');

type Given = { readonly responses?: string; readonly etag?: string; readonly body?: unknown };
type Headers = Readonly<Record<string, string>>;

/** Reads a resource of ten bytes. Returns the status, the body and the headers. */
async function read(sent: Headers, { responses = CONDITIONAL, etag = ETAG, body = BODY }: Given = {}) {
  const contract = await contractOf(documentOf('/a', 'get', `responses: { ${DONE}, ${responses} }`));
  const op = async () => ({ status: 200, headers: { ETag: etag, 'Last-Modified': CHANGED }, body });
  const { app } = await createTestApp({ contract, handlers: { op } });
  const response = await request(app).get('/a').set(sent).buffer().parse(collect);
  const received: unknown = response.body;
  const { status, headers } = response;
  return { status, headers: headers as Headers, text: Buffer.isBuffer(received) ? received.toString() : '' };
}

function collect(res: NodeJS.EventEmitter, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  res.on('data', (chunk: Buffer) => chunks.push(chunk));
  res.on('end', () => {
    done(null, Buffer.concat(chunks));
  });
}

test.each<[number, Headers]>([
  [200, {}],
  [200, { 'If-None-Match': '"v1"' }],
  [304, { 'If-None-Match': ETAG }],
  [304, { 'If-None-Match': '"v1", W/"v2"' }],
  [304, { 'If-None-Match': '*' }],
  [200, { 'If-None-Match': 'v2' }],
  [304, { 'If-Modified-Since': CHANGED }],
  [304, { 'If-Modified-Since': LATER }],
  [200, { 'If-Modified-Since': EARLIER }],
  [200, { 'If-Modified-Since': 'yesterday' }],
  [200, { 'If-None-Match': '"v1"', 'If-Modified-Since': LATER }],
  [200, { 'If-Match': '"v1", "v2"' }],
  [412, { 'If-Match': '"v1"' }],
  [412, { 'If-Match': 'W/"v2"' }],
  [304, { 'If-Match': '*', 'If-None-Match': ETAG }],
  [412, { 'If-Unmodified-Since': EARLIER }],
  [200, { 'If-Unmodified-Since': CHANGED }],
])('a read is answered %i with %j', async (expected, sent) => {
  const { status, headers, text } = await read(sent);
  expect([status, text]).toEqual([expected, expected === 200 ? '0123456789' : '']);
  if (expected === 304) expect(headers).toMatchObject({ etag: ETAG, 'last-modified': CHANGED });
});

test('a weak tag of the handler matches If-None-Match, but not If-Match', async () => {
  expect(await read({ 'If-None-Match': '"v2"' }, { etag: 'W/"v2"' })).toMatchObject({ status: 304 });
  expect(await read({ 'If-Match': 'W/"v2"' }, { etag: 'W/"v2"' })).toMatchObject({ status: 412 });
});

test('a status that the document does not have is not sent', async () => {
  const responses = "'404': { description: None. }";
  expect(await read({ 'If-None-Match': ETAG }, { responses })).toMatchObject({ status: 200 });
  expect(await read({ 'If-Match': '"v1"' }, { responses })).toMatchObject({ status: 200 });
  expect(await read({ Range: 'bytes=0-1' })).toMatchObject({ status: 200, text: '0123456789' });
});

test.each<[string, number, string, string | undefined, Headers?]>([
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
  ['bytes=8-', 206, '89', 'bytes 8-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
  ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=3-1', 200, '0123456789', undefined],
  ['bytes=0-1,4-5', 200, '0123456789', undefined],
  ['lines=0-1', 200, '0123456789', undefined],
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10', { 'If-Range': ETAG }],
  ['bytes=0-3', 200, '0123456789', undefined, { 'If-Range': '"v1"' }],
  ['bytes=0-3', 206, '0123', 'bytes 0-3/10', { 'If-Range': CHANGED }],
  ['bytes=0-3', 200, '0123456789', undefined, { 'If-Range': LATER }],
])('a read with Range: %s is answered %i with "%s"', async (range, status, text, contentRange, sent = {}) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '0123456789');
  for (const body of [Buffer.from('0123456789'), await openAsBlob(path)]) {
    const response = await read({ Range: range, ...sent }, { responses: PART, body });
    const length = status === 416 ? undefined : String(text.length);
    expect(response).toMatchObject({ status, ...(status !== 416 && { text, headers: { 'accept-ranges': 'bytes' } }) });
    if (length !== undefined) expect(response.headers['content-length']).toBe(length);
    expect(response.headers['content-range']).toBe(contentRange);
  }
});

type Put = RequestOf<{ readonly parameters: object; readonly responses: object }>;

test.each<[number, Headers, exists?: boolean]>([
  [428, {}],
  [204, { 'If-Match': ETAG }],
  [204, { 'If-Match': '*' }],
  [412, { 'If-Match': '*' }, false],
  [412, { 'If-Match': '"v1"' }],
  [412, { 'If-Match': ETAG }, false],
  [412, { 'If-None-Match': '*' }],
  [204, { 'If-None-Match': '*' }, false],
  [204, { 'If-Unmodified-Since': LATER }],
  [412, { 'If-Unmodified-Since': EARLIER }],
])('a change is answered %i with %j', async (expected, sent, exists = true) => {
  const responses =
    "responses: { '204': { description: Done. }, '412': { description: Changed. }, '428': { description: Blind. } }";
  const contract = await contractOf(documentOf('/a', 'put', responses));
  let changes = 0;
  const op = async ({ assertMatch }: Put) => {
    assertMatch(exists ? { etag: ETAG, lastModified: new Date(CHANGED) } : undefined);
    changes += 1;
    return { status: 204 };
  };
  const { app, logged } = await createTestApp({ contract, handlers: { op } });
  expect([(await request(app).put('/a').set(sent)).status, changes]).toEqual([expected, expected === 204 ? 1 : 0]);
  expect(logged.filter(({ msg }) => msg === 'request failed')).toEqual([]);
});
