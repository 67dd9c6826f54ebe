import request from 'supertest';
import { createTestApp } from '@contract-first/testing/app.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { contractOf } from '@contract-first/testing/contract.ts';

const DOCUMENT = `
openapi: 3.2.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /things/{size}:
    post:
      operationId: op
      parameters:
        - { name: size, in: path, required: true, schema: { $ref: '#/components/schemas/Tenth' } }
        - { name: step, in: query, schema: { $ref: '#/components/schemas/Tenth' } }
        - { name: X-Step, in: header, schema: { $ref: '#/components/schemas/Tenth' } }
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Thing' } }
          application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Thing' } }
          application/jsonl: { itemSchema: { $ref: '#/components/schemas/Cent' } }
      responses:
        '200':
          description: Done.
          headers: { X-Step: { schema: { $ref: '#/components/schemas/Tenth' } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Cent: { type: number, multipleOf: 0.01 }
    Tenth: { type: number, multipleOf: 0.1 }
    Thing:
      anyOf:
        - $ref: '#/components/schemas/Cent'
        - type: object
          additionalProperties: false
          properties:
            price: { $ref: '#/components/schemas/Cent' }
            prices: { type: array, items: { $ref: '#/components/schemas/Cent' } }
            tiny: { type: number, multipleOf: 1e-7 }
            huge: { type: number, multipleOf: 1e+21 }
            seven: { type: integer, format: int64, multipleOf: 7 }
            half: { type: number, multipleOf: 2.5 }
            none: { type: boolean }
`;

/** Serves the document; the operation replies with a value and a header. */
async function serve(
  reply: { readonly body: unknown; readonly headers?: Readonly<Record<string, unknown>> } = { body: {} },
) {
  const op = () => Promise.resolve({ status: 200, ...reply });
  const { app } = await createTestApp({ contract: await contractOf(DOCUMENT), handlers: { op } });
  const send = (body: string, type = 'application/json', target = '/things/0.3', headers = {}) =>
    request(app)
      .post(target)
      .set({ 'Content-Type': type, ...headers })
      .serialize((value: unknown) => value as string)
      .send(body);
  return send;
}

test('200: every price in cents is a multiple of 0.01', async () => {
  const send = await serve();
  const prices = Array.from({ length: 1_000 }, (_, cents) => (cents / 100).toFixed(2));
  expect((await send(`{"prices":[${prices.join()}]}`)).status).toBe(200);
});

test.each([
  '{"price":19.99}',
  '{"price":4.35}',
  '{"price":-0.07}',
  '{"price":1.10}',
  '{"price":1234567.89}',
  '{"price":1e2}',
  '{"price":0}',
  '{"price":12345678901234567890.12}',
  '19.99',
  '12345678901234567890.12',
  '{"tiny":0.0000003}',
  '{"tiny":3e-7}',
  '{"huge":3e21}',
  '{"huge":3000000000000000000000}',
  '{"half":7.5}',
  '{"seven":9223372036854775807}',
])('200: a number is a multiple by its digits: %s', async (body) => {
  const send = await serve();
  expect((await send(body)).status).toBe(200);
});

test.each([
  ['{"price":0.001}', /body\/price must be multiple of 0\.01/],
  ['{"price":19.999}', /body\/price must be multiple of 0\.01/],
  ['{"price":19.990000000000000001}', /body\/price must be multiple of 0\.01/],
  ['{"price":1e-999999999}', /body\/price must be multiple of 0\.01/],
  ['{"prices":[1,0.07,0.30000000000000001]}', /body\/prices\/2 must be multiple of 0\.01/],
  ['{"price":0.005,"none":1,"seven":9223372036854775807}', /^body\/price .*0\.01; body\/none must be boolean$/],
  ['{"seven":9223372036854775806}', /body\/seven must be multiple of 7/],
  ['{"huge":1500000000000000000000}', /body\/huge must be multiple of 1e\+?21/],
])('400: a number is not a multiple by its digits: %s', async (body, message) => {
  const send = await serve();
  expectProblem(await send(body), 400, message);
});

test.each([
  ['/things/0.3?step=0.7', { 'X-Step': '1.1' }, 200],
  ['/things/0.30000000000000001', {}, 400],
  ['/things/0.3?step=0.70000000000000001', {}, 400],
  ['/things/0.3', { 'X-Step': '1.10000000000000001' }, 400],
])('a parameter is a multiple by its digits: %s %j: %i', async (target, headers, status) => {
  const send = await serve();
  expect((await send('{}', 'application/json', target, headers)).status).toBe(status);
});

test.each([
  ['application/x-www-form-urlencoded', 'price=19.99&seven=9223372036854775807', 200],
  ['application/x-www-form-urlencoded', 'price=19.990000000000000001', 400],
  ['application/jsonl', '19.99\n4.35', 200],
  ['application/jsonl', '19.99\n4.350000000000000001', 400],
])('a number of %s is a multiple by its digits: %s: %i', async (type, body, status) => {
  const send = await serve();
  expect((await send(body, type)).status).toBe(status);
});

test.each<[unknown, Readonly<Record<string, unknown>>, number]>([
  [{ price: 19.99, prices: [0.07, 4.35], seven: 9223372036854775807n }, { 'X-Step': 0.3 }, 200],
  [{ prices: [1, 19.999] }, {}, 500],
  [{ seven: 9223372036854775806n }, {}, 500],
  [{ price: 1 }, { 'X-Step': 0.35 }, 500],
])('a number in a reply is a multiple by its digits: %#: %i', async (body, headers, status) => {
  const send = await serve({ body, headers });
  expect((await send('{}')).status).toBe(status);
});
