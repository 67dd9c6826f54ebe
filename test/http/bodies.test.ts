import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { AnyReply } from '../../src/engine/http/response.ts';
import type { ValidRequest } from '../../src/engine/http/validate-request.ts';
import { createTestApp } from '../support/app.ts';
import { expectError } from '../support/answer.ts';
import { contractOf, documentOf } from '../support/contract.ts';

const NO_CONTENT = "responses: { '204': { description: Done. } }";

/** Serves POST /a with a request body in YAML, and returns the input of the handler. */
async function serve(requestBody: string, bodyLimitBytes = 100_000) {
  const received: ValidRequest[] = [];
  const contract = await contractOf(documentOf('/a', 'post', `requestBody: ${requestBody}\n${NO_CONTENT}`));
  const op = async (got: never) => {
    received.push(got);
    return { status: 204 };
  };
  const { app } = await createTestApp({ contract, handlers: { op }, bodyLimitBytes });
  const send = (contentType: string | undefined, body?: string | Buffer) => {
    const sending = request(app)
      .post('/a')
      .serialize((value: unknown) => value as string);
    if (contentType !== undefined) void sending.set('Content-Type', contentType);
    return body === undefined ? sending : sending.send(body as string);
  };
  return { app, received, send };
}

const FIELDS = `{ type: object, required: [name], properties: {
  name: { type: string }, count: { type: integer }, id: { type: integer, format: int64 }, ready: { type: boolean },
  tags: { type: array, items: { type: string } }, size: { type: object, properties: { width: { type: integer, format: int64 } } },
  photo: { type: string, format: binary }, pages: { type: array, items: { type: string, format: binary } },
  level: { type: integer, default: 3 } } }`;

describe('optional bodies', () => {
  const OPTIONAL = '{ content: { application/json: { schema: { type: object } } } }';

  test('a missing body is undefined with any Content-Type', async () => {
    const { send, received } = await serve(OPTIONAL);
    expect((await send(undefined)).status).toBe(204);
    expect((await send('text/plain')).status).toBe(204);
    expect(received.map(({ body, contentType }) => [body, contentType])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test('a sent body is validated', async () => {
    const { send } = await serve(OPTIONAL);
    expectError(await send('application/json', '[]'), 400, /body must be object/);
    expectError(await send('text/plain', '{}'), 415, /application\/json/);
  });
});

describe('several media types', () => {
  const SEVERAL = `{ required: true, content: {
    application/json: { schema: { type: object, required: [a], properties: { a: { type: integer } } } },
    application/merge-patch+json: { schema: { type: object, required: [b] } },
    application/x-www-form-urlencoded: { schema: ${FIELDS} },
    text/*: { schema: { type: string, maxLength: 5 } }, text/csv: { schema: { type: string } },
    image/png: {}, '*/*': { schema: { type: string, format: binary } } } }`;

  test.each<[string, string, unknown]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/merge-patch+json; charset=utf-8', '{"b":1}', { b: 1 }],
    [
      'application/x-www-form-urlencoded',
      'name=a+b&count=0&ready=false&tags=x',
      { name: 'a b', count: 0, ready: false, tags: ['x'], level: 3 },
    ],
    ['text/plain', 'é🌿', 'é🌿'],
    ['text/csv', 'a,b,c,d,e', 'a,b,c,d,e'],
  ])('%s %s', async (contentType, body, value) => {
    const { send, received } = await serve(SEVERAL);
    expect((await send(contentType, body)).status).toBe(204);
    expect(received[0]).toMatchObject({ contentType, body: value });
  });

  test.each(['image/png', 'application/octet-stream', 'video/mp4'])('%s is bytes', async (contentType) => {
    const { send, received } = await serve(SEVERAL);
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect((await send(contentType, bytes)).status).toBe(204);
    const body = received[0]?.body as Blob;
    expect(body.type).toBe(contentType);
    expect(Buffer.from(await body.arrayBuffer())).toEqual(bytes);
  });

  test.each<[string, string | Buffer, number, RegExp]>([
    ['application/json', '{"a":"1"}', 400, /body\/a must be integer/],
    ['application/merge-patch+json', '{"a":1}', 400, /required property 'b'/],
    ['text/plain', 'too long', 400, /body must NOT have more than 5 characters/],
    ['text/plain', Buffer.from([0xff]), 400, /UTF-8/],
    ['image', 'x', 415, /application\/json, application\/merge-patch\+json/],
  ])('%s %s is refused', async (contentType, body, status, message) => {
    const { send } = await serve(SEVERAL);
    expectError(await send(contentType, body), status, message);
  });
});

test.each([
  ['text/plain', ''],
  ['application/x-www-form-urlencoded', {}],
])('an empty body of type %s is valid', async (contentType, value) => {
  const { send, received } = await serve(`{ required: true, content: { '${contentType}': {} } }`);
  expect((await send(contentType, '')).status).toBe(204);
  expect(received[0]).toMatchObject({ contentType, body: value });
});

describe('forms', () => {
  const FORM = `{ required: true, content: { application/x-www-form-urlencoded: { schema: ${FIELDS} } } }`;
  const TYPE = 'application/x-www-form-urlencoded';

  test('int64s are exact, objects are JSON, other fields are strings', async () => {
    const { send, received } = await serve(FORM);
    const width = encodeURIComponent('{"width":9007199254740993}');
    expect((await send(TYPE, `name=x&id=9223372036854775807&size=${width}&__proto__=1&extra=`)).status).toBe(204);
    expect(
      JSON.stringify(received[0]?.body, (_key, value: unknown) =>
        typeof value === 'bigint' ? `${String(value)}n` : value,
      ),
    ).toBe(
      '{"name":"x","id":"9223372036854775807n","size":{"width":"9007199254740993n"},"__proto__":"1","extra":"","level":3}',
    );
  });

  test.each<[string, RegExp]>([
    ['count=1', /required property 'name'/],
    ['name=a&name=b', /body\/name must not be repeated/],
    ['name=a&count=x', /body\/count must be number/],
    ['name=a&id=9223372036854775808', /body\/id must be between/],
    ['name=a&size=%7B', /body\/size must be valid JSON/],
    ['name=%ff', /percent-encoding/],
  ])('%s is refused', async (body, message) => {
    const { send } = await serve(FORM);
    expectError(await send(TYPE, body), 400, message);
  });
});

describe('uploads', () => {
  const UPLOAD = `{ required: true, content: { multipart/form-data: { schema: ${FIELDS} } } }`;

  test('fields have their types, files are File objects with every byte', async () => {
    const { app, received } = await serve(UPLOAD);
    const bytes = Buffer.from([0, 13, 10, 255, 45, 45]);
    const response = await request(app)
      .post('/a')
      .field({ name: 'é🌿', count: '0', id: '9007199254740993', size: '{"width":1}' })
      .field('tags', 'x')
      .attach('photo', bytes, { filename: 'ü.png', contentType: 'image/png' })
      .attach('pages', Buffer.from('1'), 'a.txt')
      .attach('pages', Buffer.from('2'), 'b.txt');
    expect([response.status, response.text]).toEqual([204, '']);
    const body = received[0]?.body as { photo: File; pages: File[] };
    expect(body).toMatchObject({
      name: 'é🌿',
      count: 0,
      id: 9007199254740993n,
      size: { width: 1n },
      tags: ['x'],
      level: 3,
    });
    expect([body.photo.name, body.photo.type]).toEqual(['ü.png', 'image/png']);
    expect(Buffer.from(await body.photo.arrayBuffer())).toEqual(bytes);
    expect(await Promise.all(body.pages.map(async (page) => [page.name, await page.text()]))).toEqual([
      ['a.txt', '1'],
      ['b.txt', '2'],
    ]);
  });

  test('413 when the parts together are too large', async () => {
    const { app, received } = await serve(UPLOAD, 10_000);
    const upload = (size: number) =>
      request(app)
        .post('/a')
        .field('name', 'x')
        .attach('photo', Buffer.alloc(size), 'x.png')
        .attach('pages', Buffer.alloc(size), 'y');
    expect((await upload(4_000)).status).toBe(204);
    expectError(await upload(6_000), 413, /not be larger than 10000 bytes/);
    expect(received).toHaveLength(1);
  });

  test.each<[string, string, RegExp]>([
    ['multipart/form-data', 'x', /not well-formed/],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nabc',
      /not well-formed/,
    ],
    ['multipart/form-data; boundary=x', '--x--\r\n', /required property 'name'/],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="count"\r\n\r\nx\r\n--x--\r\n',
      /count must be number/,
    ],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data\r\n\r\nhello', /not well-formed/],
    [
      'multipart/form-data; boundary=x',
      "--x\r\nContent-Disposition: form-data; name*=utf-8''a%ff\r\n\r\nhello",
      /not well-formed/,
    ],
  ])('%s %j is refused', async (contentType, body, message) => {
    const { send } = await serve(UPLOAD);
    expectError(await send(contentType, body), 400, message);
  });

  test('more than 1,000 parts are refused', async () => {
    const { send } = await serve(UPLOAD);
    const body = `${'--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n'.repeat(1_001)}--x--\r\n`;
    expectError(await send('multipart/form-data; boundary=x', body), 400, /more than 1000 parts/);
  });
});

describe('a file is not a string', () => {
  const UPLOAD = `{ required: true, content: { multipart/form-data: { schema: ${FIELDS} } } }`;

  test.each([
    ['a text where a file belongs', 'name="name"\r\n\r\nx', 'name="photo"\r\n\r\nx', /body\/photo must be a file/],
    [
      'a file where a text belongs',
      'name="name"; filename="x"\r\n\r\nx',
      'name="a"\r\n\r\nx',
      /body\/name must be text/,
    ],
    [
      'two files for one',
      'name="photo"; filename="x"\r\n\r\nx',
      'name="photo"; filename="y"\r\n\r\ny',
      /photo must not be repeated/,
    ],
    ['a part without a name', 'name="name"\r\n\r\nx', 'x="y"\r\n\r\nx', /not well-formed/],
  ])('%s is refused', async (_name, first, second, message) => {
    const { send, received } = await serve(UPLOAD);
    const part = (content: string): string => `--x\r\nContent-Disposition: form-data; ${content}\r\n`;
    const body = `${part(first)}${part(second)}--x--\r\n`;
    expectError(await send('multipart/form-data; boundary=x', body), 400, message);
    expect(received).toEqual([]);
  });
});

test('text in another charset is refused', async () => {
  const { send } = await serve('{ content: { text/plain: { schema: { type: string } } } }');
  expectError(await send('text/plain; charset=utf-16le', 'x'), 415, /UTF-8/);
  expect((await send('text/plain; charset="UTF-8"', 'x')).status).toBe(204);
});

describe('responses', () => {
  async function reply(responses: string, answer: AnyReply, method: 'get' | 'head' = 'get') {
    const contract = await contractOf(documentOf('/a', 'get', `responses:\n${responses.replaceAll(/^/gm, '  ')}`));
    const { app, logged } = await createTestApp({ contract, handlers: { op: async () => answer } });
    const response = await request(app)[method]('/a').buffer(true);
    return { response, problem: JSON.stringify(logged.find(({ level }) => level === 50) ?? '') };
  }
  const TEXT = "'200': { description: x, content: { text/plain: { schema: { type: string } } } }";
  const BOTH = "'200': { description: x, content: { application/json: { schema: { type: object } }, image/*: {} } }";
  const HEADERS = `'201':
  description: x
  headers:
    Location: { required: true, schema: { type: string } }
    X-Count: { schema: { type: integer } }`;

  test('204 has neither body nor Content-Length nor Content-Type', async () => {
    const { response } = await reply("'204': { description: x }", { status: 204 });
    expect(response.status).toBe(204);
    expect(Object.keys(response.headers)).toEqual(expect.not.arrayContaining(['content-length', 'content-type']));
  });

  test('text, with a charset if the handler says so', async () => {
    const { response } = await reply(TEXT, { status: 200, contentType: 'text/plain; charset=utf-8', body: 'é' });
    expect([response.status, response.text, response.headers['content-type']]).toEqual([
      200,
      'é',
      'text/plain; charset=utf-8',
    ]);
  });

  test('bytes, as a Blob or as a Uint8Array, in a range of media types', async () => {
    for (const body of [new Blob(['abc']), Buffer.from('abc')]) {
      const { response } = await reply(BOTH, { status: 200, contentType: 'image/webp', body });
      expect([response.status, String(response.body), response.headers['content-type']]).toEqual([
        200,
        'abc',
        'image/webp',
      ]);
    }
  });

  test('headers are written as strings', async () => {
    const headers = { Location: '/a/1', 'X-Count': 0, 'X-Unset': undefined };
    const { response } = await reply(HEADERS, { status: 201, headers });
    expect(response.headers).toMatchObject({ location: '/a/1', 'x-count': '0', 'content-length': '0' });
    expect(response.headers).not.toHaveProperty('x-unset');
  });

  test('HEAD is served from GET, without the body', async () => {
    const { response } = await reply(TEXT, { status: 200, body: 'abc' }, 'head');
    expect([response.status, response.text, response.headers['content-length']]).toEqual([200, undefined, '3']);
  });

  test('a range of statuses and default', async () => {
    const ranges =
      "'2XX': { description: x }\n'404': { description: x }\ndefault: { description: x, content: { application/json: { schema: { type: object } } } }";
    expect((await reply(ranges, { status: 202 })).response.status).toBe(202);
    expect((await reply(ranges, { status: 404 })).response.status).toBe(404);
    expect((await reply(ranges, { status: 409, body: {} })).response.status).toBe(409);
  });

  test.each<[string, string, AnyReply, RegExp]>([
    ['a header is missing', HEADERS, { status: 201 }, /needs the header location/],
    [
      'the response has an undocumented body',
      HEADERS,
      { status: 201, headers: { Location: 'x' }, body: {} },
      /must not have a body/,
    ],
    [
      'the media type differs',
      TEXT,
      { status: 200, contentType: 'text/html', body: '' },
      /must not have the media type text\/html/,
    ],
    [
      'the media type is missing',
      "'200': { description: x, content: { image/*: {} } }",
      { status: 200, body: Buffer.from('') },
      /without a wildcard/,
    ],
    ['a text is not a string', TEXT, { status: 200, body: 1 }, /needs a string, bytes or a Blob/],
    [
      'a text does not fit its schema',
      "'200': { description: x, content: { text/plain: { schema: { type: string, enum: [a] } } } }",
      { status: 200, body: 'b' },
      /must be equal to one of the allowed values: a/,
    ],
    ['the status is outside every range', "'2XX': { description: x }", { status: 302 }, /302 is not documented/],
  ])('500 when %s', async (_name, responses, answer, cause) => {
    const { response, problem } = await reply(responses, answer);
    expectError(response, 500, /failed/);
    expect(problem).toMatch(cause);
  });
});
