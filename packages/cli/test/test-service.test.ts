import type { Application, Credentials, Settings } from '@contract-first/engine';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { openTestService } from '../src/testing/index.ts';

type Request = { readonly path: { readonly id: bigint }; readonly body: unknown; readonly caller: { name: string } };

const contract = await contractOf(
  documentOf(
    '/things/{id}',
    'get',
    `parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
responses: { '200': { description: It., content: { application/json: { schema: { type: integer, format: int64 } } } } }`,
  ),
);
const createHandlers = (store: ReadonlyMap<bigint, bigint>, now: () => bigint) => ({
  op: ({ path }: Request) => Promise.resolve({ status: 200, body: (store.get(path.id) ?? 0n) + now() }),
});
const application = {
  contract,
  failures: {},
  open: () => {
    const store = new Map<bigint, bigint>();
    const done = () => Promise.resolve();
    return Promise.resolve({
      handlers: createHandlers(store, () => 100n),
      checkers: {},
      check: done,
      close: done,
      store,
    });
  },
};
const get = { method: 'GET', target: '/things/1', headers: [] };

test('a test can seed the store of its service, and call a handler with and without HTTP', async () => {
  const service = await openTestService(application);
  cleanUp(service.close);
  service.opened.store.set(1n, 7n);
  expect(await service.send(get)).toMatchObject({ status: 200, body: '107' });
  expect(await service.call('op', { path: { id: 1n } })).toEqual({ status: 200, body: 107n });
  // @ts-expect-error the id is an int64
  await expect(service.call('op', { path: { id: '1' } })).resolves.toEqual({ status: 200, body: 100n });
});

test('a response with an unexpected status is an error with the response, and with the error of the handler', async () => {
  const cause = new Error('the disk is full');
  const service = await openTestService(application, () => ({ handlers: { op: () => Promise.reject(cause) } }));
  cleanUp(service.close);
  expect(await service.send(get, 500)).toMatchObject({ status: 500 });
  const failed = service.send(get, 200);
  await expect(failed).rejects.toThrow(/^GET \/things\/1 got status 500 instead of 200\n\{.*"status":500/);
  await expect(failed).rejects.toHaveProperty('cause.cause', cause);
  const invalid = service.send({ ...get, target: '/things/a' }, 200);
  await expect(invalid).rejects.toThrow(/got status 400 instead of 200\n.*id must be integer/);
  await expect(invalid).rejects.not.toHaveProperty('cause');
});

test('a test can replace a part of its service, such as the clock', async () => {
  const service = await openTestService(application, ({ store }) => ({ handlers: createHandlers(store, () => 200n) }));
  cleanUp(service.close);
  expect(await service.send(get)).toMatchObject({ status: 200, body: '200' });
});

test('a test of a service with tokens of its own signs in a user', async () => {
  const issuing = {
    ...application,
    contract: await contractOf(
      documentOf(
        '/token',
        'get',
        "security: [{}, { key: [] }]\nresponses: { '200': { description: It., content: { text/plain: {} } } }",
        'components: { securitySchemes: { key: { type: apiKey, in: header, name: Authorization } } }',
      ),
    ),
    open: async () => ({
      ...(await application.open()),
      handlers: { op: ({ caller }: Partial<Request>) => Promise.resolve({ status: 200, body: caller?.name ?? 'ada' }) },
      checkers: {
        key: ({ authorization }: Credentials) => (authorization === 'Token ada' ? { name: 'Ada' } : undefined),
      },
    }),
  };
  const request = { method: 'GET', target: '/token', headers: [] };
  const service = await openTestService(issuing, undefined, {}, async (send) => `Token ${(await send(request)).body}`);
  cleanUp(service.close);
  const signed = { ...request, headers: [['Authorization', 'test-token']] as const };
  expect(await service.send(signed)).toMatchObject({ status: 200, body: 'Ada' });
});

test('a test can set variables of its service, such as application settings, which are validated', async () => {
  const settings = { FIRST: { type: 'integer', minimum: 1, maximum: 9 } } satisfies Settings;
  const withSettings = {
    ...application,
    settings,
    open: async ({ settings: { FIRST } }) => {
      const opened = await application.open();
      return { ...opened, handlers: createHandlers(opened.store, () => BigInt(FIRST)) };
    },
  } satisfies Application<unknown, typeof settings>;
  const service = await openTestService(withSettings, undefined, { FIRST: '7' });
  cleanUp(service.close);
  expect(await service.send(get)).toMatchObject({ status: 200, body: '7' });
  await expect(openTestService(withSettings)).rejects.toThrow('FIRST must be set');
});
