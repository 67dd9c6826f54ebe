import request from 'supertest';
import { TOKEN } from '@contract-first/testing/serve-application.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { expectError, expectNothingLeaked } from '@contract-first/testing/answer.ts';
import { createTestApp, post, type TestApp } from '../support/plant-store.ts';

const CHALLENGE = 'Bearer realm="bearerAuth"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;

describeStores((createDatabase) => {
  const createApp = async () => createTestApp(await createDatabase());

  let shared: TestApp;
  beforeAll(async () => {
    shared = await createApp();
  });

  /** Returns the shared application, with the history since this call. */
  const useApp = (): TestApp => {
    const { length } = shared.logged.filter(({ status }) => status === 200);
    return { ...shared, history: async () => (await shared.history()).slice(length) };
  };

  test('200: a valid NewPlant is stored, and the response is its Plant with name and tag, and never an id', async () => {
    const { app, history } = useApp();
    const response = await post(app, '{"id":1,"name":"Fern","tag":"indoor"}');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.text).toBe('{"name":"Fern","tag":"indoor"}');
    expectNothingLeaked(response);
    expect(await history()).toEqual([{ id: 1n, name: 'Fern', tag: 'indoor' }]);
  });

  test('200: a valid NewPlant is stored, and the response is its Plant without a tag', async () => {
    const { app, history } = useApp();
    expect((await post(app, '{"id":2,"name":"Oak"}')).text).toBe('{"name":"Oak"}');
    expect(await history()).toEqual([{ id: 2n, name: 'Oak' }]);
  });

  test.each([
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775807', -9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['0', 0n],
    ['-0', 0n],
    ['1.0', 1n],
    ['1e2', 100n],
    ['120E-1', 12n],
    ['9223372036854775807.000', 9223372036854775807n],
    ['9.223372036854775807e18', 9223372036854775807n],
    ['0e999999999999', 0n],
  ])('200: id %s is stored as %s', async (digits, id) => {
    const { app, history } = useApp();
    const response = await post(app, `{"id":${digits},"name":"Fern"}`);
    expect(response.status).toBe(200);
    expect(await history()).toEqual([{ id, name: 'Fern' }]);
  });

  test.each([
    ['empty', ''],
    ['U+0000', 'a\u0000b'],
    ['a lone surrogate', 'a\ud800b'],
    ['a lone low surrogate', '\udc00'],
    ['a line separator', '\u2028\u2029'],
    ['a BOM inside', '\ufeffx'],
    ['not normalised', 'e\u0301 and \u00e9'],
    ['100 KB of emoji', '🌿'.repeat(25_600)],
    ['the digits of a large number', '12345678901234567890'],
  ])('200: a string that is %s is kept exactly', async (_name, text) => {
    const { app, history } = useApp();
    const response = await post(app, JSON.stringify({ id: 1, name: text, tag: text }));
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text)).toEqual({ name: text, tag: text });
    expect(await history()).toEqual([{ id: 1n, name: text, tag: text }]);
  });

  test('200: a string sent as raw UTF-8 and as escapes is the same string', async () => {
    const { app, history } = useApp();
    await post(app, '{"id":1,"name":"é🌿"}');
    await post(app, '{"id":1,"name":"\\u00e9\\ud83c\\udf3f"}');
    expect((await history()).map(({ name }) => name)).toEqual(['é🌿', 'é🌿']);
  });

  test('200: unknown properties are accepted and not stored, access_token and __proto__ among them', async () => {
    const { app, history } = useApp();
    const response = await post(
      app,
      '{"id":1,"name":"Fern","access_token":"x","__proto__":{"tag":1},"height":1.5e300}',
    );
    expect(response.text).toBe('{"name":"Fern"}');
    expect(await history()).toEqual([{ id: 1n, name: 'Fern' }]);
  });

  test('200: the same id twice: both are kept, the latest is current', async () => {
    const { app, store, history } = await createApp();
    await post(app, '{"id":7,"name":"first"}');
    await post(app, '{"id":8,"name":"other"}');
    await post(app, '{"id":7,"name":"second"}');
    expect((await history()).map(({ name }) => name)).toEqual(['first', 'other', 'second']);
    expect((await store.list('latest')).map(({ name }) => name)).toEqual(['other', 'second']);
  });

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ; x="a;b"'])(
    '200: Content-Type: %s is application/json',
    async (contentType) => {
      const { app } = useApp();
      expect((await post(app, '{"id":1,"name":"Fern"}', { 'Content-Type': contentType })).status).toBe(200);
    },
  );

  test('200: the scheme name Bearer is case-insensitive', async () => {
    const { app } = useApp();
    const response = await post(app, '{"id":1,"name":"Fern"}', { Authorization: `bearer ${TOKEN}` });
    expect(response.status).toBe(200);
  });

  test('200: many concurrent creations are all stored, each once', async () => {
    const { app, history } = useApp();
    const ids = Array.from({ length: 64 }, (_, index) => index);
    const responses = await Promise.all(ids.map((id) => post(app, `{"id":${String(id)},"name":"n${String(id)}"}`)));
    expect(responses.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect((await history()).map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids);
  });

  test.each([
    ['null', 'null', /body must be object/],
    ['an array', '[]', /body must be object/],
    ['a string', '"Fern"', /body must be object/],
    ['a number', '12345678901234567890', /body must be object/],
    ['an empty object', '{}', /body must have required property 'name'/],
    ['no id', '{"name":"Fern"}', /body must have required property 'id'/],
    ['no name', '{"id":1}', /body must have required property 'name'/],
    ['name a number', '{"id":1,"name":2}', /body\/name must be string/],
    ['name null', '{"id":1,"name":null}', /body\/name must be string/],
    ['tag null', '{"id":1,"name":"Fern","tag":null}', /body\/tag must be string/],
    ['tag an array', '{"id":1,"name":"Fern","tag":["a"]}', /body\/tag must be string/],
    ['id null', '{"id":null,"name":"Fern"}', /body\/id must be integer/],
    ['id a string', '{"id":"1","name":"Fern"}', /body\/id must be integer/],
    ['id true', '{"id":true,"name":"Fern"}', /body\/id must be integer/],
    ['id 1.5', '{"id":1.5,"name":"Fern"}', /body\/id must be integer/],
    ['id 12e-1', '{"id":12e-1,"name":"Fern"}', /body\/id must be integer/],
    ['id just above an integer', '{"id":1.00000000000000000001,"name":"Fern"}', /body\/id must be integer/],
    ['id just above zero', '{"id":1e-400,"name":"Fern"}', /body\/id must be integer/],
    ['id 2^53 and a half', '{"id":9007199254740992.5,"name":"Fern"}', /body\/id must be integer/],
    ['id 2^63', '{"id":9223372036854775808,"name":"Fern"}', /body\/id must be between -9223372036854775808 and/],
    ['id -2^63-1', '{"id":-9223372036854775809,"name":"Fern"}', /body\/id must be between/],
    ['id 1e19', '{"id":1e19,"name":"Fern"}', /body\/id must be between/],
    ['id 1e400', '{"id":1e400,"name":"Fern"}', /body\/id must be integer/],
    [
      'the later of two ids out of range',
      '{"id":1,"id":9223372036854775808,"name":"Fern"}',
      /body\/id must be between/,
    ],
    ['only __proto__', '{"__proto__":{"id":1,"name":"Fern"}}', /required property/],
    ['truncated', '{"id":1,"name":"Fe', /not valid JSON/],
    ['two values', '{"id":1,"name":"Fern"} {}', /not valid JSON/],
    ['NaN', '{"id":NaN,"name":"Fern"}', /not valid JSON/],
    ['white space only', ' \n', /not valid JSON/],
    ['nested too deeply', `${'['.repeat(200_000)}1e2${']'.repeat(200_000)}`, /nested more than 500 levels/],
    ['empty', '', /a request body is required/],
  ])('400: the message says how to fix the request, and nothing is stored: %s', async (_name, body, message) => {
    const { app, history } = useApp();
    expectError(await post(app, body), 400, message);
    expect(await history()).toEqual([]);
  });

  test('400: the message says how to fix the request, and nothing is stored: an unknown query parameter', async () => {
    const { app, history } = useApp();
    const response = await request(app)
      .post('/plants?colour=green')
      .set({ Authorization: `Bearer ${TOKEN}` })
      .send({ id: 1, name: 'Fern' });
    expectError(response, 400, /query parameter colour is not documented/);
    expect(await history()).toEqual([]);
  });

  const plant = { id: 1, name: 'Fern' };

  test.each([
    ['no token', {}, CHALLENGE],
    ['an unknown token', { Authorization: 'Bearer nope' }, INVALID],
  ])('401: the Error body and a challenge: %s', async (_name, headers, challenge) => {
    const { app, history } = useApp();
    const response = await request(app).post('/plants').set(headers).send(plant);
    expectError(response, 401, /^send one valid bearer token/);
    expect(response.headers['www-authenticate']).toBe(challenge);
    expect(await history()).toEqual([]);
  });

  test('default: 415 with the Error body and Accept for a media type that is not documented', async () => {
    const { app, history } = useApp();
    const response = await post(app, '{"id":1,"name":"Fern"}', { 'Content-Type': 'text/plain' });
    expectError(response, 415, /application\/json/);
    expect(response.headers['accept']).toBe('application/json');
    expect(await history()).toEqual([]);
  });
});
