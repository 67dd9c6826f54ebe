import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { createTestApp, TOKEN, type TestApp } from '@contract-first/testing/app.ts';
import { openRawConnection, guestRequest } from '@contract-first/testing/connection.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';

function create({ app }: TestApp, headers: Readonly<Record<string, string>> = {}) {
  const post = request(app).post('/guests').auth(TOKEN, { type: 'bearer' }).set(headers);
  return post.send({ id: 1, name: 'Anna' });
}

test('the log has one line for each request: operation, route, caller and time, but no content', async () => {
  const testApp = await createTestApp();
  await create(testApp, { 'x-request-id': 'r1' }).query({ secret: 'x' }).expect(400);
  await create(testApp, { 'x-request-id': 'r2' }).expect(200);
  expect(testApp.logged).toEqual(
    ['r1', 'r2'].map((requestId) => ({
      level: 30,
      time: expect.any(Number),
      requestId,
      operationId: 'createGuest',
      route: '/guests',
      method: 'POST',
      status: requestId === 'r2' ? 200 : 400,
      durationMs: expect.any(Number),
      caller: 'tester',
      clientAddress: '127.0.0.1',
    })),
  );
  expect(JSON.stringify(testApp.logged)).not.toMatch(new RegExp(`Anna|secret|${TOKEN}`));
});

test.each([
  ['a UUID', '7f3c7a44-1f6b-4c4e-9d4f-0f7b8f1f9a11'],
  ['other tokens', 'Root=1-67891233-abcdef012345678912345678/a.b~c:d+e@f_g'],
  ['128 characters', 'x'.repeat(128)],
])('X-Request-Id: %s is used, returned and logged', async (_name, id) => {
  const testApp = await createTestApp();
  const response = await create(testApp, { 'x-request-id': id }).expect(200);
  expect(response.headers['x-request-id']).toBe(id);
  expect(testApp.logged[0]?.['requestId']).toBe(id);
});

test.each([
  ['an empty one', ''],
  ['one with a space', 'a b'],
  ['one that could break a line of JSON or HTML', '"><script>'],
  ['one beyond ASCII', 'caf\u00e9'],
  ['one of 129 characters', 'x'.repeat(129)],
])('X-Request-Id: %s is replaced by a new UUID', async (_name, id) => {
  const testApp = await createTestApp();
  const response = await create(testApp, { 'x-request-id': id }).expect(200);
  expect(response.headers['x-request-id']).toMatch(UUID);
  expect(testApp.logged[0]?.['requestId']).toBe(response.headers['x-request-id']);
});

test('two values of X-Request-Id are both ignored', async () => {
  const testApp = await createTestApp();
  const { url } = await testApp.serve();
  const connection = await openRawConnection(url);
  connection.write('GET /x HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n');
  expect(await connection.receive('}')).toMatch(/\r\nx-request-id: [\da-f-]{36}\r\n/);
});

test('X-Request-Id: an error in a handler is logged with the id', async () => {
  const createGuest = () => Promise.reject(new Error('the cause'));
  const testApp = await createTestApp({ handlers: { createGuest } });
  await create(testApp, { 'x-request-id': 'r1' }).expect(500);
  expect(testApp.logged.map(({ requestId, level }) => [requestId, level])).toEqual([
    ['r1', 50],
    ['r1', 30],
  ]);
});

test('X-Request-Id: an unparseable request has an id and a line in the log', async () => {
  const testApp = await createTestApp();
  const { url } = await testApp.serve();
  const connection = await openRawConnection(url);
  connection.write('GARBAGE\r\n\r\n');
  const [, id] = /^HTTP\/1\.1 400 [^]*\r\nx-request-id: (.*)\r\n/.exec(await connection.closed()) ?? [];
  expect(id).toMatch(UUID);
  expect(testApp.logged).toEqual([
    { level: 30, time: expect.any(Number), requestId: id, status: 400, clientAddress: '127.0.0.1' },
  ]);
});

test.each([
  ['of version 00', `00-${TRACE_ID}-${PARENT_ID}-01`],
  ['of a later version, with more at its end', `cc-${TRACE_ID}-${PARENT_ID}-01-what-else`],
])('traceparent: %s is logged', async (_name, traceparent) => {
  const testApp = await createTestApp();
  await create(testApp, { traceparent }).expect(200);
  expect(testApp.logged[0]).toMatchObject({ traceId: TRACE_ID, parentId: PARENT_ID });
});

test.each([
  ['an invalid version', `ff-${TRACE_ID}-${PARENT_ID}-01`],
  ['more at the end of version 00', `00-${TRACE_ID}-${PARENT_ID}-01-more`],
  ['no trace', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
  ['no parent', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
  ['upper case', `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
  ['nonsense', 'x'.repeat(55)],
])('traceparent with %s is ignored', async (_name, traceparent) => {
  const testApp = await createTestApp();
  await create(testApp, { traceparent }).expect(200);
  expect(testApp.logged[0]).not.toHaveProperty('traceId');
  expect(testApp.logged[0]).not.toHaveProperty('parentId');
});

const forwarded = { 'x-forwarded-for': '203.0.113.7, 198.51.100.2' };

test('the client address is the address of the connection, regardless of X-Forwarded-For', async () => {
  const testApp = await createTestApp();
  await create(testApp, forwarded).expect(200);
  expect(testApp.logged[0]?.['clientAddress']).toBe('127.0.0.1');
});

test.each([
  [['loopback'], '198.51.100.2'],
  [['loopback', '198.51.100.0/24'], '203.0.113.7'],
  [['10.0.0.0/8'], '127.0.0.1'],
  [['0'], '127.0.0.1'],
  [['1'], '198.51.100.2'],
  [['2'], '203.0.113.7'],
  [['9'], '203.0.113.7'],
])('the client address with TRUST_PROXY %j is %s', async (trustProxy, address) => {
  const testApp = await createTestApp({ trustProxy });
  await create(testApp, forwarded).expect(200);
  expect(testApp.logged[0]?.['clientAddress']).toBe(address);
});

test('a client that disconnects before its response is logged, without a status', async () => {
  const called = Promise.withResolvers<undefined>();
  const gate = Promise.withResolvers<undefined>();
  const createGuest = async () => {
    called.resolve(undefined);
    await gate.promise;
    return { status: 200, body: { name: 'Anna' } };
  };
  const testApp = await createTestApp({ handlers: { createGuest } });
  const { url, connectionCount } = await testApp.serve();
  const connection = await openRawConnection(url);
  connection.write(guestRequest(TOKEN, '{"id":1,"name":"Anna"}'));
  await called.promise;
  connection.reset();
  while (connectionCount() > 0) await new Promise(setImmediate);
  gate.resolve(undefined);
  while (testApp.logged.length === 0) await new Promise(setImmediate);
  expect(testApp.logged[0]).toMatchObject({ operationId: 'createGuest', caller: 'tester', clientAddress: '127.0.0.1' });
  expect(testApp.logged[0]).not.toHaveProperty('status');
});

test.each(['/guests', '/nothing'])(
  'every response of %s has nosniff and no-store, and does not reveal the software',
  async (path) => {
    const { app } = await createTestApp();
    const { headers } = await request(app).get(path);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/server|powered|etag/i)]));
  },
);

test('on standard output, each line is JSON unless it is a terminal', async () => {
  const service = await startServiceProcess({ NODE_ENV: 'production' });
  await fetch(`${service.url}/nothing`);
  await service.waitForOutput('"status":404');
  const lines = service.output().trim().split('\n');
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
});

test('while standard output is not read, requests are answered; buffered lines are written later', async () => {
  const service = await startServiceProcess({});
  service.process.stdout.pause();
  // The lines exceed the pipe's buffers, but not the log's backlog.
  const headers = { 'x-request-id': 'x'.repeat(128) };
  for (let sent = 0; sent < 1_500; sent += 1) {
    expect((await fetch(`${service.url}/nothing`, { headers })).status).toBe(404);
  }
  service.process.stdout.resume();
  while (service.output().split('"status":404').length - 1 < 1_500) await sleep(10);
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

test('on a terminal, standard output is human-readable: a colour, a time, no JSON', async () => {
  const service = await startServiceProcess({}, ['script', '-qfec', 'exec node src/main.ts', '/dev/null']);
  await fetch(`${service.url}/nothing`);
  await service.waitForOutput(' ms'); // The end of the line.
  const line = service.output().trim().split('\n').at(-1);
  // oxlint-disable-next-line no-control-regex -- colours are control sequences
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] \u001b\[32mINFO.*\u001b\[33m404 .*GET +[\d.]+ ms/);
});

test('on a terminal, a failed request is logged with its id', async () => {
  const source = `import { createLog } from '../../engine/src/process/log.ts';
      const log = await createLog('info', true);
      log.error({ requestId: 'r1', err: new Error('the cause') }, 'request failed');
      log.flush();`;
  const { stdout } = await runProcess('node', ['--input-type=module', '--eval', source]);
  expect(stdout).toMatch(/request failed {2}r1\b[^]*the cause/);
});

test('the service continues after an error whose properties cannot be read', async () => {
  const source = `import { createLog } from '../../engine/src/process/log.ts';
      const log = await createLog('info', false);
      log.error({ err: { stack: '', get message() { throw new Error('the cause'); } } }, 'request failed');
      log.flush();`;
  const { stdout } = await runProcess('node', ['--input-type=module', '--eval', source]);
  expect(JSON.parse(stdout)).toMatchObject({
    msg: 'request failed',
    err: { message: 'an error whose properties cannot be read' },
  });
});

test('on a terminal, control characters of logged values are escaped', async () => {
  const text = String.raw`a\x1b[2J\x9b31m\b\r\x7f\u0090\\u001b\n\tz`;
  const source = `import { createLog } from '../../engine/src/process/log.ts';
      const log = await createLog('info', true);
      log.error({ err: new Error('${text}'), value: '${text}' }, '${text}');
      log.flush();`;
  const { stdout } = await runProcess('node', ['--input-type=module', '--eval', source]);
  expect(stdout).toContain(String.raw`a\u001b[2J\u009b31m\b\r\u007f\u0090\u001b`);
  // oxlint-disable-next-line no-control-regex -- the colours of the log itself
  const withoutColours = stdout.replaceAll(/\u001b\[\d+m/g, '');
  // oxlint-disable-next-line no-control-regex -- line breaks and tabs are allowed
  expect(withoutColours).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
});
