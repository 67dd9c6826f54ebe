import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { NO_OUTSIDE } from '@contract-first/documents';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { checkContract } from '../../check/src/contract-run.ts';
import { readDocument } from '../../check/src/run/read-document.ts';

const json = (schema: string, examples = '{}'): string =>
  `content: { application/json: { schema: ${schema}, examples: ${examples} } }`;
const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const DOCUMENT = `
openapi: 3.1.0
info: { title: Payments, version: 1.0.0 }
servers: [{ url: 'https://example.com/v1' }]
security: []
paths:
  /quotes:
    post:
      operationId: getQuote
      requestBody:
        required: true
        ${json(ref('NewQuote'), '{ large: { value: { amount: 5000 } }, late: { value: { amount: 13 } } }')}
      responses:
        '200': { description: A quote., ${json('{ type: object, required: [fee], properties: { fee: { const: 1 } } }')} }
        '422': { description: Too large., ${json(ref('Problem'), '{ large: { value: { code: 422, message: too large } } }')} }
        5XX: { description: Closed., ${json(ref('Problem'), '{ late: { value: { code: 1, message: closed } } }')} }
  /payments:
    get:
      operationId: listPayments
      responses:
        '200': { description: Payments., ${json(`{ type: array, maxItems: 50, items: ${ref('Payment')} }`)} }
        '500': { description: A problem., ${json(ref('Problem'))} }
    post:
      operationId: createPayment
      parameters:
        - { name: X-Form-Url, in: header, schema: { type: string } }
      requestBody:
        required: true
        ${json(ref('NewPayment'), '{ usual: { value: { amount: 7 } }, declined: { value: { amount: 66 } } }')}
      responses:
        '201': { description: Created., ${json(ref('Payment'), '{ usual: { value: { id: 900, amount: 7 } } }')} }
        default: { description: A problem., ${json(ref('Problem'), '{ declined: { value: { code: 402, message: declined } } }')} }
      callbacks:
        paid:
          '{$request.body#/url}?id={$response.body#/id}':
            post:
              parameters: [{ name: X-Event, in: header, schema: { const: paid } }]
              requestBody: { ${json(ref('Payment'), '{ paid: { value: { id: 1, amount: 2 } } }')} }
              responses: { '204': { description: Thank you. } }
        form:
          $request.header.X-Form-Url:
            put:
              requestBody:
                content:
                  application/x-www-form-urlencoded:
                    schema: { type: object, required: [text], properties: { text: { const: a b } } }
              responses: { '204': { description: Thank you. } }
  /payments/{id}:
    get:
      operationId: getPayment
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer }, examples: { gone: { value: 404 }, first: { value: 1 } } }
      responses:
        '200': { description: The payment., ${json(ref('Payment'))} }
        '403': { description: Forbidden., ${json(ref('Problem'), '{ first: { value: { code: 403, message: forbidden } } }')} }
        '404': { description: Missing., ${json(ref('Problem'), '{ gone: { value: { code: 404, message: gone } } }')} }
components:
  schemas:
    Problem: { type: object, required: [code, message], properties: { code: { type: integer }, message: { type: string } } }
    NewQuote: { type: object, required: [amount], properties: { amount: { type: integer, format: int64 }, currency: { type: string, default: EUR } } }
    NewPayment: { type: object, required: [amount], properties: { amount: { type: integer }, url: { type: string } } }
    Payment: { allOf: [${ref('NewPayment')}], required: [id], properties: { id: { type: integer, readOnly: true } } }
`;

const path = join(temporaryFolder(), 'payments.yaml');
writeFileSync(path, DOCUMENT);
const startMock = (...args: readonly string[]): Promise<ServiceProcess> =>
  startServiceProcess({ LOG_LEVEL: 'warn' }, ['contract-first', 'mock', ...args]);

let mock: ServiceProcess;
beforeAll(async () => {
  mock = await startMock(path, `/other/v2=${path}`, '--callbacks', '--callback-host', '0.0.0.0');
});

async function send(target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(new URL(target, mock.url), body === undefined ? { headers } : init);
  return [response.status, await response.json()] as const;
}

test('a request with named examples gets the response example of the same name, with its status', async () => {
  const tooLarge = [422, { code: 422, message: 'too large' }];
  expect(await send('/v1/quotes', { amount: 5000 })).toEqual(tooLarge);
  expect(await send('/v1/quotes', { currency: 'EUR', amount: 5000 })).toEqual(tooLarge);
  expect(await send('/v1/quotes', { amount: 13 })).toEqual([500, { code: 1, message: 'closed' }]);
  for (const other of [{ amount: 5001 }, { amount: 5000, currency: 'USD' }])
    expect(await send('/v1/quotes', other)).toEqual([200, { fee: 1 }]);
  expect(await send('/v1/quotes', { amount: 5000 }, { Prefer: 'code=200' })).toEqual([200, { fee: 1 }]);
});

test('a stored resource takes precedence over paired successes, and over failures that are paired by parameters', async () => {
  expect(await send('/v1/payments/1')).toEqual([403, { code: 403, message: 'forbidden' }]);
  expect(await send('/v1/payments', { amount: 66 })).toEqual([400, { code: 402, message: 'declined' }]);
  expect(await send('/v1/payments', { amount: 7 })).toEqual([201, { id: 1, amount: 7 }]);
  expect(await send('/v1/payments/1')).toEqual([200, expect.objectContaining({ id: 1, amount: 7 })]);
  expect(await send('/v1/payments/404')).toEqual([404, { code: 404, message: 'gone' }]);
});

test('the contract checks pass: the status of a paired failure is the documented one', async () => {
  const { document } = await readDocument(path, NO_OUTSIDE);
  const { failures } = await checkContract({
    document,
    baseUrl: new URL('/other/v2', mock.url).href,
    seed: 1,
    runs: 3,
    budgetMs: 120_000,
  });
  expect(failures.map(({ check, operationId, message }) => [check, operationId, message])).toEqual([]);
});

test('each document has routes, docs and memory of its own, and a shared path is an error that says how to fix it', async () => {
  const before = await send('/other/v2/payments');
  await send('/v1/payments', { amount: 8 });
  expect(await send('/other/v2/payments')).toEqual(before);
  for (const base of ['/v1', '/other/v2']) {
    const document = await fetch(new URL(`${base}/docs/openapi.json`, mock.url));
    expect(await document.json()).toMatchObject({ servers: [{ url: base }] });
  }
  const { code, stderr } = await runProcess('contract-first', ['mock', path, path]);
  const reason = `${path} and ${path} are both served below /v1: name a path, such as /payments=${path}\n`;
  expect([code, stderr]).toEqual([2, reason]);
});

test('size: sets the number of items in a generated list, within the limits of its schema', async () => {
  const sizes = [0, 3, 60].map(async (size) => {
    const [, items] = await send('/v1/payments', undefined, { Prefer: `size=${String(size)}` });
    return (items as readonly unknown[]).length;
  });
  expect(await Promise.all(sizes)).toEqual([0, 3, 50]);
  expect(await send('/v1/payments?__size=x')).toEqual([
    400,
    { code: 400, message: expect.stringContaining('from 0 to 1000') },
  ]);
});

test('callbacks are sent after successful operations, only to the local machine', async () => {
  const received: unknown[] = [];
  const receiver = createServer((req, res) => {
    void text(req).then((body) => {
      const { method, url, headers } = req;
      received.push([method, url, headers['content-type'], headers['x-event'], body]);
      res.writeHead(url === '/form' ? 302 : 204, { location: '/redirected' }).end();
    });
  }).listen(0, '127.0.0.1');
  cleanUp(() => void receiver.close());
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo; // A TCP server.
  const local = `http://localhost:${String(port)}`;
  await send('/v1/payments', { amount: 66, url: `${local}/declined` }, { Prefer: 'code=402' });
  const [, payment] = await send(
    '/v1/payments',
    { amount: 9, url: `${local}/paid` },
    { 'X-Form-Url': `${local}/form` },
  );
  const { id } = payment as { readonly id: number };
  await until(() => received.length, 2);
  expect(received.toSorted()).toEqual([
    ['POST', `/paid?id=${String(id)}`, 'application/json', 'paid', '{"id":1,"amount":2}'],
    ['PUT', '/form', 'application/x-www-form-urlencoded', undefined, 'text=a+b'],
  ]);
  await mock.waitForOutput('callback failed: the response is 302');
  for (const host of ['10.1.2.3', '[::2]']) {
    await send('/v1/payments', { amount: 9, url: `http://${host}:${String(port)}/` });
    const name = host.replaceAll(/[[\]]/g, '');
    await mock.waitForOutput(`callback failed: ${name} is not of this machine; allow it with --callback-host ${name}`);
  }
  await send('/v1/payments', { amount: 9, url: `http://0.0.0.0:${String(port)}/allowed` });
  await until(() => received.length, 3);
});

test('delay: other requests are not delayed, and a disconnect ends the delay', async () => {
  const delayed = connect(Number(new URL(mock.url).port), '127.0.0.1');
  delayed.write('GET /v1/payments?__delay=60000 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect((await send('/v1/payments', undefined, { Prefer: 'delay=1-2' }))[0]).toBe(200);
  delayed.end();
  expect(await text(delayed)).toBe('');
  const [status, problem] = await send('/v1/payments?__delay=60001');
  expect([status, problem]).toEqual([400, { code: 400, message: expect.stringContaining('such as 500') }]);
});

test('--error-rate fails the same share of requests for a seed, and --list-size decides the size of lists', async () => {
  mock = await startMock(
    path,
    `/other=${path}`,
    '--error-rate',
    '50%',
    '--list-size',
    '2',
    '--stateless',
    '--delay',
    '1',
  );
  const outcomesOf = async (target: string, body?: unknown): Promise<readonly unknown[]> => {
    const outcomes: unknown[] = [];
    for (let index = 0; index < 12; index += 1) {
      const [status, content] = await send(target, body);
      outcomes.push(status === 200 ? (content as readonly unknown[]).length : [status, content]);
    }
    return outcomes;
  };
  const outcomes = await outcomesOf('/v1/payments');
  expect(new Set(outcomes.map(String))).toEqual(new Set(['2', '500,[object Object]']));
  expect(await outcomesOf('/other/payments')).toEqual(outcomes);
  // An undocumented failure.
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await send('/v1/payments/7'))[0]));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

test('--proxy: a client that disconnects within its body is not logged', async () => {
  mock = await startMock(path, '--proxy', 'http://127.0.0.1:9');
  const { port } = new URL(mock.url);
  const disconnecting = connect(Number(port), '127.0.0.1');
  disconnecting.write('POST /v1/payments HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{');
  await setTimeout(50); // The mock begins to read.
  disconnecting.resetAndDestroy();
  await once(disconnecting, 'close');
  expect((await send('/v1/payments'))[0]).toBe(200);
  expect(mock.output()).not.toContain('request failed');
});
