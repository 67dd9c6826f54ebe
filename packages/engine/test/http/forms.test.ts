import request from 'supertest';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { FIELDS, serveBody } from './support/serve-body.ts';

const UPLOAD = `{ required: true, content: { multipart/form-data: { schema: ${FIELDS} } } }`;

const FORM = `{ required: true, content: { application/x-www-form-urlencoded: { schema: ${FIELDS} } } }`;
const TYPE = 'application/x-www-form-urlencoded';

test('forms: int64s are exact, objects are JSON, other fields are strings', async () => {
  const { send, received } = await serveBody(FORM);
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

test('forms: a field is text, also where its schema describes bytes', async () => {
  const BYTES = '{ type: object, properties: { hmac: { type: string, format: binary } } }';
  const { send, received } = await serveBody(`{ content: { ${TYPE}: { schema: ${BYTES} } } }`);
  expect((await send(TYPE, 'hmac=%41b')).status).toBe(204);
  expect(received[0]?.body).toEqual({ hmac: 'Ab' });
});

test.each<[string, RegExp]>([
  ['count=1', /required property 'name'/],
  ['name=a&name=b', /body\/name must not be repeated/],
  ['name=a&count=x', /body\/count must be integer/],
  ['name=a&id=9223372036854775808', /body\/id must be between/],
  ['name=a&size=%7B', /body\/size must be valid JSON/],
  ['name=%ff', /percent-encoding/],
])('forms: %s is refused', async (body, message) => {
  const { send } = await serveBody(FORM);
  expectProblem(await send(TYPE, body), 400, message);
});

test('forms: more than 10,000 pairs are refused', async () => {
  const { send } = await serveBody(FORM);
  expectProblem(await send(TYPE, 'name=a&'.repeat(10_001)), 400, /more than 10000 name-value pairs/);
});

test('uploads: fields have their types, files are File objects with every byte', async () => {
  const { app, received } = await serveBody(UPLOAD);
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

test('uploads: 413 when the parts together are too large', async () => {
  const { app, received } = await serveBody(UPLOAD, 10_000);
  const upload = (size: number) =>
    request(app)
      .post('/a')
      .field('name', 'x')
      .attach('photo', Buffer.alloc(size), 'x.png')
      .attach('pages', Buffer.alloc(size), 'y');
  expect((await upload(4_000)).status).toBe(204);
  expectProblem(await upload(6_000), 413, /not be larger than 10000 bytes/);
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
    /count must be integer/,
  ],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data\r\n\r\nhello', /not well-formed/],
  [
    'multipart/form-data; boundary=x',
    "--x\r\nContent-Disposition: form-data; name*=utf-8''a%ff\r\n\r\nhello",
    /not well-formed/,
  ],
])('uploads: %s %j is refused', async (contentType, body, message) => {
  const { send } = await serveBody(UPLOAD);
  expectProblem(await send(contentType, body), 400, message);
});

test('uploads: more than 1,000 parts are refused', async () => {
  const { send } = await serveBody(UPLOAD);
  const body = `${'--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n'.repeat(1_001)}--x--\r\n`;
  expectProblem(await send('multipart/form-data; boundary=x', body), 400, /more than 1000 parts/);
});

test.each([
  ['a text where a file belongs', 'name="name"\r\n\r\nx', 'name="photo"\r\n\r\nx', /body\/photo must be a file/],
  ['a file where a text belongs', 'name="name"; filename="x"\r\n\r\nx', 'name="a"\r\n\r\nx', /body\/name must be text/],
  [
    'two files for one',
    'name="photo"; filename="x"\r\n\r\nx',
    'name="photo"; filename="y"\r\n\r\ny',
    /photo must not be repeated/,
  ],
  ['a part without a name', 'name="name"\r\n\r\nx', 'x="y"\r\n\r\nx', /not well-formed/],
])('a file is not a string: %s is refused', async (_name, first, second, message) => {
  const { send, received } = await serveBody(UPLOAD);
  const part = (content: string): string => `--x\r\nContent-Disposition: form-data; ${content}\r\n`;
  const body = `${part(first)}${part(second)}--x--\r\n`;
  expectProblem(await send('multipart/form-data; boundary=x', body), 400, message);
  expect(received).toEqual([]);
});
