import { once } from 'node:events';
import { request as send } from 'node:http';
import request from 'supertest';
import { HandlerFailure, type RequestContext } from '@contract-first/contract';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf } from '@contract-first/testing/contract.ts';
import { until } from '@contract-first/testing/until.ts';

const failure = "{ description: No., content: { application/json: { schema: { $ref: '#/components/schemas/No' } } } }";

/** Serves one operation. */
async function serve(handle: (context: RequestContext) => Promise<AnyReply>) {
  const contract = await contractOf(`
openapi: 3.1.0
info: { title: Context, version: 1.0.0 }
security: []
paths: { /a: { get: { operationId: a, responses: { '204': { description: Done. }, '409': ${failure}, '4XX': { description: No. } } } } }
components: { schemas: { No: { type: object, required: [why], properties: { why: { type: string }, id: { type: integer, format: int64 } } } } }
`);
  return createTestApp({ contract, handlers: { a: handle } });
}

const done = Promise.resolve({ status: 204 });

test('a handler logs with the request id and the operationId, and reads every header', async () => {
  const ids: string[] = [];
  const { app, logged } = await serve(({ log, requestId, rawHeaders }) => {
    log.info({ agent: rawHeaders['user-agent'] }, 'handling');
    ids.push(requestId);
    return done;
  });
  await request(app).get('/a').set({ 'X-Request-Id': 'r1', 'User-Agent': 'tester' }).expect(204);
  expect(ids).toEqual(['r1']);
  expect(logged).toMatchObject([
    { msg: 'handling', agent: 'tester', requestId: 'r1', operationId: 'a' },
    { requestId: 'r1', status: 204 },
  ]);
});

test('the signal of a request is aborted only when the client disconnects', async () => {
  const signals: AbortSignal[] = [];
  let isWaiting = false;
  const { serve: listen } = await serve(async ({ signal }) => {
    signals.push(signal);
    if (isWaiting) await once(signal, 'abort');
    return done;
  });
  const { url } = await listen();
  await (await fetch(`${url}/a`)).text();
  isWaiting = true;
  const client = send(`${url}/a`)
    .on('error', () => undefined)
    .end();
  await until(() => signals.length, 2);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  client.destroy();
  await until(() => signals[1]?.aborted, true);
  expect(signals[0]?.aborted).toBe(false);
});

test.each<[string, AnyReply, number, Record<string, unknown>]>([
  ['documented', { status: 409, body: { why: 'taken', id: 2n ** 60n } }, 409, { why: 'taken' }],
  ['documented by its range', { status: 404 }, 404, {}],
  ['undocumented', { status: 503 }, 500, { status: 500 }],
  ['one that does not conform', { status: 409, body: { id: 1n } }, 500, { status: 500 }],
])('a failure that a handler throws is sent like a returned reply: %s', async (_name, reply, status, body) => {
  const { app, logged } = await serve(async () => {
    await done;
    throw new HandlerFailure(reply);
  });
  const response = await request(app).get('/a');
  expect([response.status, response.body]).toEqual([status, expect.objectContaining(body)]);
  expect(logged.filter(({ msg }) => msg === 'request failed')).toHaveLength(status === 500 ? 1 : 0);
});
