import request from 'supertest';
import type { Formats } from '@contract-first/engine';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf, warningsOf } from '@contract-first/testing/contract.ts';
import type { AnyReply } from '../../src/http/reply/response.ts';
import type { ValidRequest } from '../../src/http/handle/validate-request.ts';

class Day {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The codecs. An id that was decoded twice would have two prefixes. */
const formats: Formats<{ 'date-time': Date; date: Day; byte: Uint8Array; uuid: `id:${string}`; celsius: number }> = {
  'date-time': { decode: (text) => new Date(text), encode: (date) => date.toISOString() },
  date: { decode: (text) => new Day(text), encode: ({ text }) => text },
  byte: { decode: (text) => Buffer.from(text, 'base64'), encode: (bytes) => Buffer.from(bytes).toString('base64') },
  uuid: { decode: (text) => `id:${text}`, encode: (id) => id.slice('id:'.length) },
  celsius: {
    decode(text) {
      if (!text.endsWith('C')) throw new Error('secret');
      return Number(text.slice(0, -1));
    },
    encode: (degrees) => `${String(degrees)}C`,
  },
};
const names = Object.keys(formats);

const TEXT = '2026-03-01T12:00:00.500Z';
const DATE = new Date(TEXT);
const UUID = '9b2f8a52-6d0f-4b6e-9b0e-2f3f3f0c1a77';

const COMPONENTS = `
components:
  schemas:
    At: { type: string, format: date-time }
    Thing:
      type: object
      properties:
        at: { $ref: '#/components/schemas/At' }
        maybe: { type: [string, 'null'], format: date }
        either: { oneOf: [{ $ref: '#/components/schemas/At' }, { type: 'null' }] }
        id: { allOf: [{ type: string, format: uuid }, { type: string, format: uuid, description: Twice. }] }
        photo: { type: string, format: byte }
        heat: { type: string, format: celsius, pattern: '^-?[0-9]' }
        days: { type: array, items: { type: string, format: date } }
        ends: { type: object, additionalProperties: { $ref: '#/components/schemas/At' } }
        parts: { type: array, items: { $ref: '#/components/schemas/Thing' } }
        fixed: { type: string, format: date, enum: ['2026-01-01'] }
        host: { type: string, format: hostname }
        note: { type: string }
    Failure:
      type: object
      required: [at, detail]
      properties: { at: { $ref: '#/components/schemas/At' }, detail: { type: string } }`;
const RESPONSES = `responses:
  '200':
    description: It.
    headers: { X-At: { schema: { $ref: '#/components/schemas/At' } }, X-Days: { schema: { type: array, items: { type: string, format: date } } } }
    content:
      application/json: { schema: { $ref: '#/components/schemas/Thing' } }
      application/jsonl: { itemSchema: { $ref: '#/components/schemas/Thing' } }
  default: { description: No., content: { application/json: { schema: { $ref: '#/components/schemas/Failure' } } } }`;
const OPERATION = `parameters:
  - { name: after, in: query, schema: { $ref: '#/components/schemas/At' } }
  - { name: days, in: query, explode: false, schema: { type: array, items: { type: string, format: date } } }
  - { name: X-Heat, in: header, schema: { type: string, format: celsius, default: 20C } }
  - { name: since, in: cookie, schema: { type: string, format: date } }
  - { name: range, in: query, content: { application/json: { schema: { type: object, properties: { from: { type: string, format: date } } } } } }
requestBody:
  content:
    application/json: { schema: { $ref: '#/components/schemas/Thing' } }
    application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Thing' } }
    application/jsonl: { itemSchema: { $ref: '#/components/schemas/Thing' } }
    text/plain: { schema: { type: string, format: date } }
${RESPONSES}`;
const DOCUMENT = documentOf('/a/{id}', 'post', OPERATION, COMPONENTS)
  .replace('openapi: 3.1.0', 'openapi: 3.2.0')
  .replace(
    'parameters:',
    'parameters:\n        - { name: id, in: path, required: true, schema: { type: string, format: uuid } }',
  );

const failures = { Failure: ({ message }: { readonly message: string }) => ({ at: DATE, detail: message }) };

async function serve(answer: (input: ValidRequest) => AnyReply, config: { responseValidation?: 'report' } = {}) {
  const contract = await contractOf(DOCUMENT, { formats: names });
  const received: ValidRequest[] = [];
  const op = (input: ValidRequest) => {
    received.push(input);
    return Promise.resolve(answer(input));
  };
  const { app, logged } = await createTestApp({ contract, formats, failures, handlers: { op }, ...config });
  const send = (type = 'application/json', body: string | object = {}) =>
    request(app).post(`/a/${UUID}`).set('Content-Type', type).send(body);
  return { app, received, send, logged };
}

const SENT = {
  at: TEXT,
  maybe: null,
  either: TEXT,
  id: UUID,
  photo: 'AAEC/w==',
  heat: '21C',
  days: ['2026-01-01', '2026-01-02'],
  ends: { a: TEXT, __proto: TEXT },
  parts: [{ at: TEXT, parts: [{ id: UUID, maybe: '2026-02-28' }] }],
  fixed: '2026-01-01',
  host: 'a.test',
  note: TEXT,
};
const DECODED = {
  at: DATE,
  maybe: null,
  either: DATE,
  id: `id:${UUID}`,
  photo: Buffer.from([0, 1, 2, 255]),
  heat: 21,
  days: [new Day('2026-01-01'), new Day('2026-01-02')],
  ends: { a: DATE, __proto: DATE },
  parts: [{ at: DATE, parts: [{ id: `id:${UUID}`, maybe: new Day('2026-02-28') }] }],
  fixed: '2026-01-01',
  host: 'a.test',
  note: TEXT,
};

test("formats: a handler receives and returns the application's types, 200", async () => {
  const { received, send } = await serve(({ body }) => ({ status: 200, contentType: 'application/json', body }));
  const response = await send('application/json', SENT);
  expect(received[0]?.body).toStrictEqual(DECODED);
  expect([response.status, response.body]).toEqual([200, SENT]);
  expect(received[0]?.body).toStrictEqual(DECODED); // Encoding does not change the reply object.
});

test('formats: parameters in each location are decoded, including lists, JSON and defaults', async () => {
  const { app, received } = await serve(() => ({ status: 200, contentType: 'application/json', body: {} }));
  const range = encodeURIComponent('{"from":"2026-01-03"}');
  const { status } = await request(app)
    .post(`/a/${UUID}?after=${TEXT}&days=2026-01-01,2026-01-02&range=${range}`)
    .set('Cookie', 'since=2026-01-04');
  expect(status).toBe(200);
  expect(received).toMatchObject([
    {
      path: { id: `id:${UUID}` },
      query: { after: DATE, days: DECODED.days, range: { from: new Day('2026-01-03') } },
      headers: { 'X-Heat': 20 },
      cookies: { since: new Day('2026-01-04') },
    },
  ]);
});

test('formats: forms and sequences are decoded, a body of plain text stays a string', async () => {
  const { received, send } = await serve(() => ({ status: 200, contentType: 'application/json', body: {} }));
  await send('application/x-www-form-urlencoded', `at=${TEXT}&days=2026-01-01&days=2026-01-02`);
  await send('application/jsonl', `{"at":"${TEXT}"}\n{"heat":"1C"}\n`);
  await send('text/plain', '2026-01-01');
  expect(received.map(({ body }) => body)).toStrictEqual([
    { at: DATE, days: DECODED.days },
    [{ at: DATE }, { heat: 1 }],
    '2026-01-01',
  ]);
});

test('formats: headers and the items of lists and streams are encoded, 200', async () => {
  async function* items() {
    yield await Promise.resolve({ at: DATE });
    yield { heat: 3 };
  }
  const headers = { 'X-At': DATE, 'X-Days': DECODED.days };
  for (const body of [items(), [{ at: DATE }, { heat: 3 }]]) {
    const { send } = await serve(() => ({ status: 200, headers, contentType: 'application/jsonl', body }));
    const response = await send().responseType('blob');
    expect([response.status, String(response.body)]).toEqual([200, `{"at":"${TEXT}"}\n{"heat":"3C"}\n`]);
    expect(response.headers).toMatchObject({ 'x-at': TEXT, 'x-days': '2026-01-01,2026-01-02' });
  }
});

test("formats: 400 for a string that cannot be decoded, with its place but without the decoder's error", async () => {
  const { app, received, send } = await serve(() => ({ status: 200, body: {} }));
  const { status, text } = await send('application/json', { parts: [{ heat: '21K' }] });
  expect([status, text]).toEqual([
    400,
    `{"at":"${TEXT}","detail":"body/parts/0/heat must match format \\"celsius\\""}`,
  ]);
  const header = await request(app).post(`/a/${UUID}`).set('X-Heat', '1F');
  expect(header.text).toBe(`{"at":"${TEXT}","detail":"header/X-Heat must match format \\"celsius\\""}`);
  expect(received).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ['throws', { at: new Date(NaN) }, /body\/at cannot be encoded as date-time/],
  ['has another result than the schema allows', { maybe: new Day('today') }, /maybe must match format/],
  ['is for another place', { note: DATE }, /note must be string/],
])('formats: 500 where an encoder %s', async (_name, body, problem) => {
  const { send, logged } = await serve(() => ({ status: 200, contentType: 'application/json', body }));
  const { status } = await send();
  expect(status).toBe(500);
  expect(JSON.stringify(logged)).toMatch(problem);
});

test('formats: failures are encoded, including the 404 of an unknown path', async () => {
  const { app } = await serve(() => ({ status: 200, body: {} }));
  const { status, text } = await request(app).get('/nothing');
  expect([status, text]).toEqual([404, expect.stringContaining(`{"at":"${TEXT}",`)]);
});

test('formats: with VALIDATE_RESPONSES=report, a reply is also encoded, 200', async () => {
  const reply = { status: 200, contentType: 'application/json', body: { at: DATE, note: 1 } };
  const { send } = await serve(() => reply, { responseValidation: 'report' });
  const response = await send();
  expect([response.status, response.body]).toEqual([200, { at: TEXT, note: 1 }]);
});

test('formats: strings whose format depends on the value stay strings, with a warning for each', async () => {
  const schemas = [
    'allOf: [{ type: string, format: date }, { type: string, maxLength: 10 }]',
    'anyOf: [{ type: string, format: date }, { type: string, format: date-time }]',
    'anyOf: [{ type: string, format: date }, { type: integer }]',
    'anyOf: [{ type: string, format: date }, { maxLength: 3 }]',
    'anyOf: [{ type: object, properties: { a: { type: string, format: date } } }, { type: object, properties: { a: { type: string } } }]',
    'type: [string, integer], format: date',
    'if: {}, then: { type: string, format: date }',
    'type: object, patternProperties: { a: { type: string, format: date } }',
    'type: array, prefixItems: [{ type: string, format: date }]',
  ];
  for (const schema of schemas) {
    const document = documentOf(
      '/a',
      'post',
      `requestBody: { content: { application/json: { schema: { ${schema} } } } }\nresponses: { '204': { description: Done. } }`,
    );
    expect(await warningsOf(document)).not.toContain('stays');
    expect(await warningsOf(document, { formats: ['date', 'date-time'] })).toMatch(
      /warn: date( and date-time)? stays a string: the body/,
    );
    expect((await contractOf(document, { formats: ['date', 'date-time'] })).operations['op']?.formats).toBeUndefined();
  }
});

test('formats: without declared formats, the contract has none', async () => {
  const contract = await contractOf(DOCUMENT);
  expect(contract.formats).toBeUndefined();
  expect(contract.operations['op']).not.toHaveProperty('formats');
});

test('formats: a service without a codec does not start', async () => {
  const contract = await contractOf(DOCUMENT, { formats: names });
  const others = Object.fromEntries(Object.entries(formats).filter(([name]) => name !== 'celsius'));
  await expect(createTestApp({ contract, failures, formats: others, handlers: {}, production: false })).rejects.toThrow(
    'no codec for the formats celsius',
  );
});

test('declared formats are decoded in a body with a codec: 200', async () => {
  const coded =
    'application/vnd.lines: { schema: { type: object, properties: { at: { type: string, format: date-time } } } }';
  const operation = `requestBody: { content: { ${coded} } }\nresponses: { '200': { description: It., content: { ${coded} } } }`;
  const contract = await contractOf(documentOf('/a', 'post', operation), {
    formats: ['date-time'],
    codecs: ['application/vnd.lines'],
  });
  const codecs = {
    'application/vnd.lines': {
      decode: (bytes: Uint8Array) => ({ at: Buffer.from(bytes).toString() }),
      encode: (value: unknown) => (value as { readonly at: string }).at,
    },
  };
  const op = ({ body }: { readonly body: { readonly at: Date } }) =>
    Promise.resolve({ status: 200, body: { at: new Date(body.at.getTime() + 1) } });
  const { app } = await createTestApp({ contract, formats, codecs, handlers: { op } });
  const response = await request(app)
    .post('/a')
    .set('Content-Type', 'application/vnd.lines')
    .serialize((value: unknown) => value as string)
    .send(TEXT)
    .buffer(true)
    .parse((res, done) => {
      res.on('data', (chunk: Buffer) => {
        done(null, chunk.toString());
      });
    });
  expect([response.status, response.body]).toEqual([200, '2026-03-01T12:00:00.501Z']);
});

test('a link has the encoded strings of its values: 200', async () => {
  const contract = await contractOf(DOCUMENT, { formats: names });
  type Input = { readonly url: (id: string, parameters: object) => string };
  const op = ({ url }: Input) => {
    const parameters = { path: { id: `id:${UUID}` }, query: { after: DATE, days: [new Day('2026-01-01')] } };
    return Promise.resolve({ status: 200, body: { note: url('op', parameters) } });
  };
  const { app } = await createTestApp({ contract, formats, failures, handlers: { op } });
  const { text } = await request(app).post(`/a/${UUID}`).send({});
  const { pathname, search } = new URL((JSON.parse(text) as { readonly note: string }).note);
  expect(`${pathname}${search}`).toBe(`/a/${UUID}?after=${encodeURIComponent(TEXT)}&days=2026-01-01`);
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    'date-time',
    ['2024-02-29T12:00:00Z', '2024-01-01t00:00:00.123456789-23:59', '2016-12-31T23:59:60Z'],
    [
      ...['2024-01-01 00:00:00Z', '2024-01-01T00:00:00+02', '2024-01-01T00:00:00+0200', '2024-01-01T00:00:00'],
      ...['2023-02-29T00:00:00Z', '2024-01-01T24:00:00Z', '2016-12-31T22:59:60Z', '2024-01-01T00:00:00Z\n', ''],
    ],
  ],
  ['time', ['10:00:00Z', '10:00:00.5+01:00'], ['10:00:00', '10:00Z', '10:00:00+01', '10:00:00+0100', ' 10:00:00Z']],
  [
    'uuid',
    ['2EB8AA08-AA98-11ea-b4aa-73b441d16380'],
    ['urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08aa9811eab4aa73b441d16380'],
  ],
  [
    'email',
    ["joe.o'x+tag@example.com", '"joe x"@example.com', '"a\\"@b"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
    ['a@b', 'a..b@example.com', '"joe"x"@example.com', 'joe x@example.com', 'a@[1]', 'a@[::1]', 'a@example.com\n'],
  ],
])('a format follows its specification: %s', async (format, valid, invalid) => {
  const schema = `{ type: string, format: ${format} }`;
  const operation = `requestBody: { content: { application/json: { schema: ${schema} } } }\nresponses: { '204': { description: x } }`;
  const contract = await contractOf(documentOf('/a', 'post', operation));
  const { app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) } });
  const statusOf = async (text: string) =>
    (await request(app).post('/a').type('json').send(JSON.stringify(text))).status;
  for (const text of valid) expect([text, await statusOf(text)]).toEqual([text, 204]);
  for (const text of invalid) expect([text, await statusOf(text)]).toEqual([text, 400]);
});
