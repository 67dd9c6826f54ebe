import express, { type NextFunction, type Request, type Response } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import request from 'supertest';
import { openService, type Application } from '@contract-first/engine';
import { cleanUp, temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { sendUnread } from '@contract-first/testing/connection.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { application } from '@contract-first/testing/fixture/src/service.ts';

const GUEST = { id: 1, name: 'Basil' };

Object.assign(process.env, { API_TOKENS: 'mounted-token', LOG_LEVEL: 'silent', DATABASE_URL: temporaryDatabase() });

async function open(mounted: Application = application) {
  const service = await openService(mounted);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= service.close());
  cleanUp(close);
  return { ...service, close };
}

/** Returns an application with `GET /a`. */
async function applicationOf(
  op: () => Promise<unknown>,
  servers = '/',
  content = 'application/json: { schema: {} }',
): Promise<Application> {
  const done = `responses: { '200': { description: Done., content: { ${content} } } }`;
  const nothing = () => Promise.resolve();
  return {
    contract: await contractOf(documentOf('/a', 'get', done, `servers: [{ url: ${servers} }]`)),
    failures: {},
    open: () => Promise.resolve({ handlers: { op: op as never }, checkers: {}, check: nothing, close: nothing }),
  };
}

test('a service in an Express application responds below its path, beside the routes of the application: 200', async () => {
  const { middleware } = await open();
  const app = express()
    .get('/health', (_req: Request, res: Response) => void res.send('up'))
    .use('/v1', middleware);
  const create = (path: string, guest: object = GUEST) =>
    request(app).post(path).auth('mounted-token', { type: 'bearer' }).send(guest);
  expect((await create('/v1/guests')).body).toEqual({ name: 'Basil' });
  expect((await create('/v1/guests')).status).toBe(200);
  expect((await request(app).get('/health')).text).toBe('up');
  expect((await create('/guests')).headers['x-powered-by']).toBe('Express'); // Set by the application.
  expect((await create('/v1/guests', {})).body).toEqual({ error: 400, message: expect.stringMatching(/'id'/) });
  expect((await create('/v1/guest')).body).toEqual({ error: 404, message: 'this path does not exist' });
});

test.each([
  ['/', '/v1', '/v1/a'],
  ['/v1', '/v1', '/v1/a'],
  ['/api/v1', '/api', '/api/v1/a'],
  ['/v1', '/api', '/api/v1/a'],
  ['/v1', '/', '/v1/a'],
])('the mount path is not repeated if the servers of the document include it: %s below %s is %s', async (...paths) => {
  const [servers, mount, path] = paths;
  const { middleware } = await open(await applicationOf(() => Promise.resolve({ status: 200, body: 1 }), servers));
  const app = express().use(mount, middleware);
  expect((await request(app).get(path)).status).toBe(200);
});

test('a body parser before a service is a logged bug: 500', async () => {
  const { middleware } = await open();
  const app = express().use(express.json(), middleware);
  const response = await request(app).post('/guests').auth('mounted-token', { type: 'bearer' }).send(GUEST);
  expect([response.status, response.body]).toEqual([500, { error: 500, message: expect.stringMatching(/failed/) }]);
});

test('the docs page of a service is below its path: 200, and the document includes the path', async () => {
  const { middleware } = await open();
  const app = express().use('/v1', middleware);
  expect((await request(app).get('/v1')).headers['location']).toBe('/v1/docs');
  expect((await request(app).get('/v1/docs')).text).toContain('src="docs/page.js"');
  expect((await request(app).get('/v1/docs/page.js')).status).toBe(200);
  const { text } = await request(app).get('/v1/docs/openapi.json');
  expect(JSON.parse(text)).toMatchObject({ servers: [{ url: '..', description: 'This service' }] });
});

test('a service closes when every request is answered', async () => {
  const calls: string[] = [];
  const called = Promise.withResolvers<undefined>();
  const finished = Promise.withResolvers<undefined>();
  const slow = await applicationOf(async () => {
    called.resolve(undefined);
    await finished.promise;
    calls.push('answered');
    return { status: 200, body: 1 };
  });
  const backend = await slow.open({} as never); // Without options, since it has no database.
  const close = () => Promise.resolve(void calls.push('closed'));
  const service = await open({ ...slow, open: () => Promise.resolve({ ...backend, close }) });
  const server = createServer(express().use(service.middleware)).listen(0);
  cleanUp(() => void server.close());
  const answer = fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/a`);
  await called.promise;
  const closing = service.close();
  finished.resolve(undefined);
  expect((await answer).status).toBe(200);
  await closing;
  expect(calls).toEqual(['answered', 'closed']);
});

test('a service closes once, even if a client disconnected before the service received the request; afterwards 503', async () => {
  const service = await open(await applicationOf(() => Promise.resolve({ status: 200, body: 1 })));
  const leaving = new AbortController();
  const passed = Promise.withResolvers<undefined>();
  const wait = (_req: Request, res: Response, next: NextFunction) => {
    leaving.abort();
    res.once('close', () => {
      next();
      passed.resolve(undefined);
    });
  };
  const server = createServer(express().get('/slow', wait).use(service.middleware)).listen(0);
  cleanUp(() => void server.close());
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await expect(fetch(`${url}/slow`, { signal: leaving.signal })).rejects.toThrow('aborted');
  await passed.promise;
  await Promise.all([service.close(), service.close()]);
  expect((await fetch(`${url}/a`)).status).toBe(503);
});

test('a client that ends its connection before the end of a stream of a known length: the connection is reset', async () => {
  const source = async function* () {
    yield Buffer.from('abc');
    await new Promise(() => undefined);
  };
  const reply = { status: 200, headers: { 'Content-Length': '6' }, contentType: 'image/png', body: source() };
  const { middleware } = await open(await applicationOf(() => Promise.resolve(reply), '/', 'image/png: {}'));
  const server = createServer(express().use(middleware)).listen(0);
  cleanUp(() => void server.close());
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = await sendUnread(url, 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  const closed = once((await connected)[0], 'close');
  await once(client, 'data');
  const reset = once(client, 'error'); // Does not reject: the awaited event is the error.
  client.end();
  expect(await reset).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
  await closed;
});

test('an invalid configuration is an error with every problem', async () => {
  const before = { ...process.env };
  Object.assign(process.env, { IN_FLIGHT_LIMIT: 'many', DOCS: 'yes' });
  try {
    await expect(openService(application)).rejects.toThrow(/IN_FLIGHT_LIMIT must be .*\nDOCS must be on or off/s);
  } finally {
    process.env = before;
  }
});
