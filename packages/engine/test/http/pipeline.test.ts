import request from 'supertest';
import type { Contract } from '@contract-first/contract';
import { contract } from '@contract-first/testing/fixture/src/guests/contract.ts';
import type { AnyHandler } from '../../src/http/handle/call-handler.ts';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { expectError, expectProblem, post } from '@contract-first/testing/answer.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const ANNA = '{"id":1,"name":"Anna"}';
const FIXED_TEXT = /^The service failed to answer this request$/;

test.each<[string, AnyHandler]>([
  ['throws', () => Promise.reject(new Error('the secret cause'))],
  ['throws before it returns a promise', () => fail('the secret cause')],
  ['throws an object that looks like a response', () => Promise.reject(Object.assign(new Error('x'), { status: 404 }))],
  ['returns nothing', async () => undefined as never],
  ['returns a status that is not documented', async () => ({ status: 201, body: { name: 'Anna' } })],
  ['returns a body without a required property', async () => ({ status: 200, body: { tag: 'friend' } })],
  ['returns a property of the wrong type', async () => ({ status: 200, body: { name: 'Anna', tag: 1n } })],
  ['returns no body where one is documented', async () => ({ status: 200 })],
  ['returns another body in a 5xx', async () => ({ status: 503, body: { message: 'no error property' } })],
  ['returns a header that cannot be sent', async () => ({ status: 200, headers: { a: 'b\nc' }, body: { name: 'x' } })],
])('500 with a fixed text, and the cause only in the log: a handler that %s', async (_name, createGuest) => {
  const { app, logged } = await createTestApp({ handlers: { createGuest } });
  expectError(await post(app, ANNA), 500, FIXED_TEXT);
  expect(logged.filter(({ level }) => level === 50)).toHaveLength(1);
  const line = logged.find(({ operationId, status }) => operationId === 'createGuest' && status !== undefined);
  expect(line).toMatchObject({ method: 'POST', status: 500 });
  expect((await post(app, 'null')).status).toBe(400);
});

function fail(message: string): never {
  throw new Error(message);
}

test('500 for a handler that throws, and the log has the cause', async () => {
  const createGuest: AnyHandler = () => fail('the secret cause');
  const { app, logged } = await createTestApp({ handlers: { createGuest } });
  await post(app, ANNA);
  expect(JSON.stringify(logged)).toContain('the secret cause');
});

test('a documented failure of a handler is sent unchanged', async () => {
  const createGuest: AnyHandler = async () => ({ status: 503, body: { error: 503, message: 'later' } });
  const { app } = await createTestApp({ handlers: { createGuest } });
  expectError(await post(app, ANNA), 503, /^later$/);
});

test('bigints in a response are written with all their digits', async () => {
  const createGuest: AnyHandler = async () => ({ status: 200, body: { name: 'Anna', sizes: [9007199254740993n] } });
  const { app } = await createTestApp({ handlers: { createGuest } });
  expect((await post(app, ANNA)).text).toBe('{"name":"Anna","sizes":[9007199254740993]}');
});

const unfinished = () => contractOf(documentOf('/a', 'get', "responses: { '204': { description: Done. } }"));

test('501 for an operation without a handler in development', async () => {
  const { app } = await createTestApp({ contract: await unfinished(), production: false });
  expectProblem(await request(app).get('/a'), 501, /^op is not implemented yet$/);
});

test('an operation without a handler prevents the start in production', async () => {
  await expect(createTestApp({ contract: await unfinished() })).rejects.toThrow('no handler for op:');
});

describe('security of an operation', () => {
  const { createGuest: operation } = contract.operations;
  if (operation === undefined) throw new Error('the contract has no such operation');
  const secured = (...security: string[][]): Contract => ({
    ...contract,
    operations: {
      createGuest: {
        ...operation,
        security: security.map((names) => names.map((scheme) => ({ scheme, scopes: [] }))),
      },
    },
  });
  const handlers = { createGuest: async () => ({ status: 200, body: { name: 'Anna' } }) };

  test.each([
    ['none: open to all', [], 200, 200],
    ['an empty requirement beside the scheme: invalid credentials are rejected', [['bearerAuth'], []], 401, 200],
    ['the scheme', [['bearerAuth']], 401, 200],
    ['the scheme, twice', [['bearerAuth', 'bearerAuth']], 401, 200],
  ])('%s', async (_name, security, without, withToken) => {
    const { app } = await createTestApp({ contract: secured(...security), handlers });
    expect((await post(app, ANNA, { Authorization: 'none' })).status).toBe(without);
    expect((await post(app, ANNA)).status).toBe(withToken);
  });

  test.each([[[['bearerAuth'], []]], [[[], ['bearerAuth']]]])(
    '%j: the caller is known with a valid token, and invalid credentials are 401',
    async (security) => {
      const { app, logged } = await createTestApp({ contract: secured(...security), handlers });
      const statuses: number[] = [];
      for (const authorization of [`Bearer ${TOKEN}`, 'Bearer nope', 'none'])
        statuses.push((await post(app, ANNA, { Authorization: authorization })).status);
      expect(statuses).toEqual([200, 401, 401]);
      expect(logged.map(({ caller }) => caller)).toEqual(['tester', undefined, undefined]);
    },
  );

  test('a scheme without a checker prevents a production start, and rejects every request in development', async () => {
    const unknown = secured(['nope']);
    await expect(createTestApp({ contract: unknown, handlers })).rejects.toThrow(
      /no checker for the security scheme nope/,
    );
    const { app } = await createTestApp({ contract: unknown, handlers, production: false });
    expect((await post(app, ANNA)).status).toBe(501);
  });
});
