import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { openRawConnection, guestRequest } from '@contract-first/testing/connection.ts';

const ANNA = '{"id":1,"name":"Anna"}';

async function serve(bodyLimitBytes = 1_000) {
  const testApp = await createTestApp({ bodyLimitBytes });
  const { url, stop } = await testApp.serve();
  return { connection: await openRawConnection(url), history: testApp.history, stop };
}

test.each([
  ['two valid tokens', [`Authorization: Bearer ${TOKEN}`]],
  ['a valid and an unknown token', ['Authorization: Bearer nope']],
  ['a valid token and another scheme', ['AUTHORIZATION: Basic eDp5']],
])('%s in two Authorization headers: 401', async (_name, headers) => {
  const { connection, history } = await serve();
  connection.write(guestRequest(TOKEN, ANNA, headers));
  const answer = await connection.receive('}');
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  expect(answer).toMatch(/\r\nwww-authenticate: Bearer realm="bearerAuth"\r\n/i);
  expect(answer).toMatch(/\{"error":401,"message":".*"\}$/);
  expect(await history()).toEqual([]);
});

test('more than one space after Bearer is allowed', async () => {
  const { connection } = await serve();
  connection.write(guestRequest(`  ${TOKEN}`, ANNA));
  expect(await connection.receive('}')).toMatch(/^HTTP\/1\.1 200 OK/);
});

test.each([
  ['announced', 'Content-Length: 10000000000000\r\n\r\n'],
  ['sent in chunks', 'Transfer-Encoding: chunked\r\n\r\n800\r\n'],
])('413 for a body that is too large, %s, before the body ends, and the connection is closed', async (_name, rest) => {
  const { connection } = await serve();
  const head = `POST /guests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
  connection.write(`${head}${rest}${'x'.repeat(2_048)}`);
  expect(await connection.closed()).toMatch(/^HTTP\/1\.1 413 [^]*\{"error":413,"message":".* 1000 bytes"\}$/);
});

test('a body that arrives in pieces is read as one body', async () => {
  const { connection, history } = await serve();
  const chunks = ['{"id":9007199254740993,"name":"', '\xf0\x9f', '\x8c\xbf"}'];
  const head = `POST /guests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
  connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  for (const chunk of chunks) connection.write(Buffer.from(`${chunk.length.toString(16)}\r\n${chunk}\r\n`, 'latin1'));
  connection.write('0\r\n\r\n');
  expect(await connection.receive('}')).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(await history()).toEqual([{ id: 9007199254740993n, name: '🌿' }]);
});

test('the connection serves the next request after a rejected request with a body', async () => {
  const { connection, history } = await serve();
  connection.write(guestRequest('nope', ANNA) + guestRequest(TOKEN, 'null') + guestRequest(TOKEN, ANNA));
  const answers = await connection.receive('{"name":"Anna"}');
  expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['401', '400', '200']);
  expect(await history()).toEqual([{ id: 1n, name: 'Anna' }]);
});

test.each([
  ['HEAD', ''],
  ['GET', '{"error":400'],
])('400 for a malformed %s request has the body of the method: %s', async (method, body) => {
  const { connection } = await serve();
  connection.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${method} / HTTP/1.1\r\nHost : x\r\n\r\n`);
  const answer = await connection.closed();
  expect(answer).toMatch(/HTTP\/1\.1 404 [^]*HTTP\/1\.1 400 /);
  expect(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4).slice(0, 12)).toBe(body);
});

test('a client that disconnects in the middle of a body leaks nothing', async () => {
  const { connection, history } = await serve();
  connection.write(guestRequest(TOKEN, ANNA).slice(0, -5));
  connection.end();
  await connection.closed();
  expect(await history()).toEqual([]);
});

test.each([
  ['1,000 pipelined requests are answered', 1_000, true],
  ['a connection with more pending responses is closed', 2_000, false],
])('%s', async (_name, requests, isAnswered) => {
  const { connection } = await serve();
  const [head, end] = ['GET / HTTP/1.1\r\nHost: x\r\n', 'Connection: close\r\n\r\n'];
  connection.write(`${`${head}\r\n`.repeat(requests - 1)}${head}${end}`);
  const answers = (await connection.closed()).match(/HTTP\/1\.1 404/g) ?? [];
  expect(answers.length === requests).toBe(isAnswered);
});

test('at a stop, all pending requests get responses, and only the last response has Connection: close', async () => {
  const { connection, stop } = await serve();
  connection.write(guestRequest(TOKEN, ANNA).repeat(3).slice(0, -5));
  await connection.receive('HTTP/1.1 200');
  const stopped = stop(5_000);
  connection.write(ANNA.slice(-5));
  const answers = await connection.closed();
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  expect(answers.match(/Connection: close/g)).toHaveLength(1);
  expect(await stopped).toBe(true);
});
