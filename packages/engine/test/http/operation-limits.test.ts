import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import type { RequestContext } from '@contract-first/contract';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, warningsOf } from '@contract-first/testing/contract.ts';

const documentOf = (operation: string): string => `
openapi: 3.1.0
info: { title: Limits, version: 1.0.0 }
security: []
paths: { /a: { post: { operationId: a, ${operation}, responses: { '204': { description: Done. } } } } }
`;
const bodyOf = (mediaType: string, schema: string): string =>
  `requestBody: { content: { ${mediaType}: { schema: ${schema} } } }`;
const FORM = '{ type: object, properties: { photo: { type: string, format: binary, maxLength: 3000 } } }';

/** Serves one operation, with a configured limit of 1,000 bytes. */
async function serve(operation: string, handle?: (context: RequestContext) => Promise<AnyReply>, config = {}) {
  const contract = await contractOf(documentOf(operation));
  const handlers = { a: handle ?? (() => Promise.resolve({ status: 204 })) };
  return createTestApp({ contract, handlers, bodyLimitBytes: 1_000, ...config });
}

test.each<[string, string, string, number]>([
  [
    'x-body-limit-bytes below the configured size',
    `x-body-limit-bytes: 10, ${bodyOf('text/plain', '{}')}`,
    'text/plain',
    10,
  ],
  ['x-body-limit-bytes above it', `x-body-limit-bytes: 2000, ${bodyOf('text/plain', '{}')}`, 'text/plain', 2_000],
  ['the maxLength of bytes', bodyOf('image/png', '{ maxLength: 3000 }'), 'image/png', 3_000],
])('the size of a request body is limited by %s', async (_name, operation, contentType, limit) => {
  const { app } = await serve(operation);
  const send = (length: number) => request(app).post('/a').type(contentType).send(Buffer.alloc(length, 'x'));
  expect((await send(limit)).status).toBe(204);
  expect([400, 413]).toContain((await send(limit + 1)).status);
  expectProblem(await send(limit + 1_001), 413, /must not be larger than \d+ bytes/);
});

test('the size limit of a request body is extended by the files of a form, each with its own limit', async () => {
  const { app } = await serve(bodyOf('multipart/form-data', FORM));
  const send = (length: number) => request(app).post('/a').attach('photo', Buffer.alloc(length), 'photo.png');
  expect((await send(3_000)).status).toBe(204);
  expectProblem(await send(3_001), 400, /body\/photo must not be larger than 3000 bytes/);
  expectProblem(await send(4_001), 413, /must not be larger than 4000 bytes/);
});

test('a size limit of a request body above the memory for bodies prevents the start', async () => {
  const operation = `x-body-limit-bytes: 100000000, ${bodyOf('text/plain', '{}')}`;
  await expect(serve(operation)).rejects.toThrow(
    'BODY_MEMORY_LIMIT_BYTES must be at least 100000000, which a may receive',
  );
});

test('HANDLER_TIMEOUT_MS limits handlers without x-time-limit-ms', async () => {
  const never = () => new Promise<never>(() => undefined);
  const { app } = await serve('tags: [a]', never, { handlerTimeoutMs: 1 });
  expectProblem(await request(app).post('/a'), 503, /try again/);
  const slow = () => sleep(100, { status: 204 });
  const other = await serve('x-time-limit-ms: 60000', slow, { handlerTimeoutMs: 1 });
  expect((await request(other.app).post('/a')).status).toBe(204);
});

test('503 when a handler does not reply within x-time-limit-ms; its signal is aborted, and the timeout is logged', async () => {
  let signal: AbortSignal | undefined;
  const { app, logged } = await serve('x-time-limit-ms: 100', (context) => {
    ({ signal } = context);
    return new Promise<never>(() => undefined);
  });
  const response = await request(app).post('/a');
  expectProblem(response, 503, /try again/);
  expect(response.headers['retry-after']).toBe('1');
  expect(signal?.aborted).toBe(true);
  expect(logged).toMatchObject([{ timeLimitMs: 100, operationId: 'a' }, { status: 503 }]);
});

test.each(['x-body-limit-bytes: 0', 'x-time-limit-ms: soon'])('%s is refused by the generator', async (limit) => {
  await expect(warningsOf(documentOf(limit))).rejects.toThrow(/must be a positive integer/);
});
