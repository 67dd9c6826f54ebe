import request from 'supertest';
import { createTestApp, TOKEN, type TestApp } from '@contract-first/testing/app.ts';
import { expectError, post } from '@contract-first/testing/answer.ts';

// Requests that are rejected before they reach a store.

const CHALLENGE = 'Bearer realm="bearerAuth"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const guest = { id: 1, name: 'Anna' };

let shared: TestApp;
beforeAll(async () => {
  shared = await createTestApp();
});
const createApp = (): TestApp => shared;

test.each([
  ['a BOM', Buffer.from('\ufeff{"id":1,"name":"Anna"}'), /byte order mark/],
  ['UTF-16', Buffer.from('{"id":1,"name":"Anna"}', 'utf16le'), /JSON/],
  ['Latin-1', Buffer.from('{"id":1,"name":"é"}', 'latin1'), /UTF-8/],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0x80, 0x22]), /UTF-8/],
  ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
])(
  '400: the message describes how to fix the request, and nothing is stored: bytes: %s',
  async (_name, body, message) => {
    const { app, history } = createApp();
    expectError(await post(app, body), 400, message);
    expect(await history()).toEqual([]);
  },
);

test.each([
  ['a token with a known start', { Authorization: `Bearer ${TOKEN}x` }, INVALID],
  ['a token without its last character', { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }, INVALID],
  ['a token that is longer than any', { Authorization: `Bearer ${TOKEN}${'x'.repeat(8_192)}` }, INVALID],
  [
    'an unsigned JSON Web Token',
    { Authorization: `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"tester","exp":9999999999}')}.` },
    INVALID,
  ],
  ['the name of the token', { Authorization: 'Bearer tester' }, INVALID],
  ['no credentials after the scheme', { Authorization: 'Bearer' }, CHALLENGE],
  ['extra text after the scheme', { Authorization: `Bearer ${TOKEN} ${TOKEN}` }, CHALLENGE],
  ['the Basic scheme', { Authorization: `Basic ${btoa(`x:${TOKEN}`)}` }, CHALLENGE],
  ['the token in another header', { 'X-Access-Token': TOKEN }, CHALLENGE],
])('401 with the Error body and a challenge: %s', async (_name, headers, challenge) => {
  const { app, history } = createApp();
  const response = await request(app).post('/guests').set(headers).send(guest);
  expectError(response, 401, /^send one valid bearer token/);
  expect(response.headers['www-authenticate']).toBe(challenge);
  expect(await history()).toEqual([]);
});

test('401 with the Error body and a challenge: the token in the query', async () => {
  const { app } = createApp();
  expectError(await request(app).post(`/guests?access_token=${TOKEN}`).send(guest), 401, /bearer token/);
});

test('401 with the Error body and a challenge: the token in the body, as JSON and as a form', async () => {
  const { app } = createApp();
  const json = request(app)
    .post('/guests')
    .send({ ...guest, access_token: TOKEN });
  expectError(await json, 401, /bearer token/);
  expectError(await request(app).post('/guests').type('form').send({ access_token: TOKEN }), 401, /bearer token/);
});

test('401 is decided before the body is read', async () => {
  const { app } = await createTestApp({ bodyLimitBytes: 10 });
  const response = await post(app, 'x'.repeat(100), { Authorization: 'Bearer nope', 'Content-Type': 'text/plain' });
  expectError(response, 401, /bearer token/);
});

test('413 with the Error body for a body over the limit; a body at the limit is read', async () => {
  const { app, history } = await createTestApp({ bodyLimitBytes: 100 });
  const body = '{"id":1,"name":"Anna"}'.padEnd(100);
  expect((await post(app, body)).status).toBe(200);
  expectError(await post(app, `${body} `), 413, /not be larger than 100 bytes/);
  expect(await history()).toHaveLength(1);
});

test.each(['text/plain', 'application/xml', 'application/json-patch+json', 'application/jsonx', 'json', ''])(
  '415 with the Error body and Accept: Content-Type "%s"',
  async (contentType) => {
    const { app, history } = createApp();
    const response = await post(app, '{"id":1,"name":"Anna"}', { 'Content-Type': contentType });
    expectError(response, 415, /application\/json/);
    expect(response.headers['accept']).toBe('application/json');
    expect(await history()).toEqual([]);
  },
);

test('415 with the Error body and Accept-Encoding: a compressed body', async () => {
  const { app } = createApp();
  const response = await post(app, '{"id":1,"name":"Anna"}', { 'Content-Encoding': 'gzip' });
  expectError(response, 415, /Content-Encoding/);
  expect(response.headers['accept-encoding']).toBe('identity');
});
