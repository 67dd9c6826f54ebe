import request from 'supertest';
import { createTestApp } from '@contract-first/testing/app.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { contractOf } from '@contract-first/testing/contract.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /things:
    post:
      operationId: op
      parameters:
        - { name: from, in: query, schema: { type: integer, format: int64, exclusiveMinimum: 9007199254740992 } }
        - { name: X-Kind, in: header, schema: { type: integer, enum: [9007199254740993] } }
      requestBody:
        content:
          application/json: { schema: { $ref: '#/components/schemas/Thing' } }
          application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Thing' } }
      responses:
        '200':
          description: Done.
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Thing:
      type: object
      properties:
        least: { type: integer, format: int64, minimum: 9007199254740993 }
        most: { type: integer, maximum: 18446744073709551615 }
        below: { type: number, exclusiveMaximum: 9007199254740993 }
        tenth: { type: number, maximum: 0.1 }
        step: { type: integer, format: int64, multipleOf: 9007199254740993 }
        one: { type: integer, format: int64, enum: [9007199254740993, 1] }
        only: { type: integer, format: int64, const: -9007199254740993 }
        part: { enum: [{ id: 9007199254740993 }] }
        set: { type: array, uniqueItems: true, items: { type: integer, format: int64 } }
        id: { type: integer, format: int64, default: 9007199254740993 }
        count: { type: integer, default: 9007199254740993 }
        nested: { type: object, properties: { id: { type: integer, format: int64 } }, default: { id: 9007199254740993 } }
        name: { type: string, maxLength: 9223372036854775807 }
`;

/** Serves the document. The handler replies with a value or with the request body. */
async function serve(reply?: unknown) {
  const received: unknown[] = [];
  const op = ({ body }: { readonly body: unknown }) => {
    received.push(body);
    return Promise.resolve({ status: 200, body: reply ?? body });
  };
  const { app } = await createTestApp({ contract: await contractOf(DOCUMENT), handlers: { op } });
  const send = (body: string, target = '/things', headers: Readonly<Record<string, string>> = {}) =>
    request(app)
      .post(target)
      .set({ 'Content-Type': 'application/json', ...headers })
      .serialize((value: unknown) => value as string)
      .send(body);
  return { send, received };
}

test.each([
  '{"least":9007199254740993}',
  '{"least":9007199254740993.0}',
  '{"most":18446744073709551615}',
  '{"below":9007199254740992.99}',
  '{"tenth":0.1}',
  '{"tenth":0.09999999999999999999}',
  '{"step":9007199254740993}',
  '{"one":9007199254740993}',
  '{"one":1}',
  '{"one":1.00000000000000000000}',
  '{"only":-9007199254740993}',
  '{"part":{"id":9007199254740993}}',
  '{"set":[9007199254740992,9007199254740993]}',
  '{"name":"a"}',
])('200: numbers are validated by their digits: %s', async (body) => {
  const { send } = await serve({});
  expect((await send(body)).status).toBe(200);
});

test.each([
  ['{"least":9007199254740992}', /body\/least must be >= 9007199254740993/],
  ['{"most":18446744073709551616}', /body\/most must be <= 18446744073709551615/],
  ['{"below":9007199254740993}', /body\/below must be < 9007199254740993/],
  ['{"tenth":0.10000000000000000001}', /body\/tenth must be <= 0\.1/],
  ['{"step":9007199254740992}', /body\/step must be multiple of 9007199254740993/],
  ['{"one":9007199254740992}', /body\/one must be equal to one of the allowed values: 9007199254740993, 1$/],
  ['{"only":-9007199254740992}', /body\/only must be equal to constant/],
  ['{"part":{"id":9007199254740992}}', /body\/part must be equal to one of .*: \{"id":9007199254740993\}/],
  ['{"set":[9007199254740993,1,9007199254740993]}', /body\/set must NOT have duplicate items/],
  ['{"least":1,"most":1e999,"one":9007199254740992}', /body\/least .*; body\/most .*; body\/one/],
])('400: numbers are validated by their digits: %s', async (body, message) => {
  const { send } = await serve({});
  expectProblem(await send(body), 400, message);
});

test.each([
  ['/things?from=9007199254740993', {}, 200],
  ['/things?from=9007199254740992', {}, 400],
  ['/things', { 'X-Kind': '9007199254740993' }, 200],
  ['/things', { 'X-Kind': '9007199254740992' }, 400],
])('a parameter is validated by its digits: %s %j: %i', async (target, headers, status) => {
  const { send } = await serve({});
  expect((await send('{}', target, headers)).status).toBe(status);
});

test.each([
  ['least=9007199254740993&one=9007199254740993', 200],
  ['least=9007199254740992', 400],
  ['one=9007199254740992', 400],
])('a field of a form is validated by its digits: %s: %i', async (body, status) => {
  const { send } = await serve({});
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  expect((await send(body, '/things', headers)).status).toBe(status);
});

test.each([
  [{ least: 9007199254740993n, one: 9007199254740993n, part: { id: 9007199254740993n } }, 200],
  [{ set: [9007199254740992n, 9007199254740993n] }, 200],
  [{ least: 9007199254740992n }, 500],
  [{ most: 2 ** 64 }, 500],
  [{ one: 9007199254740992n }, 500],
  [{ one: 9007199254740994n }, 500],
])('a number in a reply is validated by its digits: %#: %i', async (reply, status) => {
  const { send } = await serve(reply);
  expect((await send('{}')).status).toBe(status);
});

test('a default of an int64 has all its digits; other numbers are doubles', async () => {
  const { send, received } = await serve({});
  expect((await send('{}')).status).toBe(200);
  expect(received).toEqual([{ id: 9007199254740993n, count: 2 ** 53, nested: { id: 9007199254740993n } }]);
});
