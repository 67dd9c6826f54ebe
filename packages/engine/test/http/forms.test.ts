import request from 'supertest';
import { readParts } from '../../src/http/read/multipart.ts';
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

test('forms: the only value of a field is a text or an item, as its schema says', async () => {
  const either = '{ oneOf: [{ enum: [all] }, { type: array, items: { type: string } }] }';
  const schema = `{ type: object, properties: { a: ${either}, b: ${either} } }`;
  const { send, received } = await serveBody(`{ content: { ${TYPE}: { schema: ${schema} } } }`);
  expect((await send(TYPE, 'a=all&b=x')).status).toBe(204);
  expect(received[0]?.body).toEqual({ a: 'all', b: ['x'] });
});

test('forms: a field is text, even if its schema describes bytes', async () => {
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

test('uploads: fields have the documented types, files are File objects with every byte', async () => {
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

const BOUNDARY = 'multipart/form-data; boundary=x';
const NAME = '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nn\r\n';
const part = (header: string, content = 'x'): string => `--x\r\n${header}\r\n\r\n${content}\r\n`;
const named = (parameters: string, content?: string): string =>
  part(`Content-Disposition: form-data; ${parameters}`, content);

test('uploads: an object is JSON by default, even as a file in FormData', async () => {
  const { app, received } = await serveBody(UPLOAD);
  const form = new FormData();
  form.append('name', 'a');
  form.append('size', new Blob(['{"width":9007199254740993}'], { type: 'application/json' }));
  const encoded = new Response(form);
  const response = await request(app)
    .post('/a')
    .set('Content-Type', encoded.headers.get('Content-Type') ?? '')
    .send(Buffer.from(await encoded.arrayBuffer()));
  expect(response.status).toBe(204);
  expect(received[0]?.body).toEqual({ name: 'a', size: { width: 9007199254740993n }, level: 3 });
});

test.each<[string, string, Record<string, unknown>]>([
  ['a file without a filename', named('name="photo"\r\nContent-Type: image/png'), { name: '', type: 'image/png' }],
  ['a file without a filename and a type', named('name="photo"'), { name: '', type: 'text/plain' }],
  ['a filename in UTF-8', named('name="photo"; filename="naïve☃.png"'), { name: 'naïve☃.png' }],
  ['an encoded filename', named('name="photo"; filename="a"; filename*=UTF-8\'\'%e2%82%ac'), { name: '€' }],
  ['a filename with an escaped quote', named('filename="a\\"b;.png"; name="photo"'), { name: 'a"b;.png' }],
  ['a filename with a path', named('name="photo"; filename="../../etc/passwd"'), { name: 'passwd' }],
  ['a filename with a path of Windows', named('name="photo"; filename="C:\\dir\\a.png"'), { name: 'a.png' }],
  ['parameters without quotes', named('name=photo;filename=a.png;'), { name: 'a.png' }],
  ['a header in other cases', part('CONTENT-disposition: Form-Data; NAME="photo"'), { size: 1 }],
  ['a folded header', part('Content-Disposition: form-data;\r\n\tname="photo"'), { size: 1 }],
  ['a space before a colon', part('Content-Disposition : form-data; name="photo"'), { size: 1 }],
  ['no content', '--x\r\nContent-Disposition: form-data; name="photo"\r\n\r\n', { size: 0 }],
  ['an empty line as content', named('name="photo"', '\r\n'), { size: 2 }],
  ['content like the boundary', named('name="photo"', 'a--x\r\n--xy\r\n--x-'), { size: 16 }],
  ['spaces after a boundary', named('name="photo"').replace('--x', '--x \t'), { size: 1 }],
  ['bytes before the first boundary', `preamble\r\n${named('name="photo"')}`, { size: 1 }],
])('uploads: 204 for a part with %s', async (_name, text, file) => {
  const { send, received } = await serveBody(UPLOAD);
  expect((await send(BOUNDARY, `${text}${NAME}--x-- \r\nepilogue`)).status).toBe(204);
  expect(received[0]?.body).toEqual({ name: 'n', photo: expect.objectContaining(file), level: 3 });
});

test.each<[number, number]>([
  [0, 400],
  [1, 204],
  [2, 204],
  [3, 400],
])('uploads: a list of one or two files has %d files: %d', async (count, status) => {
  const files = '{ type: array, minItems: 1, maxItems: 2, items: { type: string, format: binary } }';
  const schema = `{ type: object, required: [name, photo], properties: { photo: ${files} } }`;
  const { send } = await serveBody(`{ content: { multipart/form-data: { schema: ${schema} } } }`);
  expect((await send(BOUNDARY, `${NAME}${named('name="photo"; filename="a"').repeat(count)}--x--\r\n`)).status).toBe(
    status,
  );
});

test.each<[string, string, RegExp]>([
  ['no Content-Disposition', part('Content-Type: text/plain'), /each part needs the header Content-Disposition/],
  ['no header', '--x\r\n\r\nx\r\n', /each part needs the header Content-Disposition/],
  ['another disposition', part('Content-Disposition: attachment; name="tags"'), /each part needs the header/],
  [
    'a repeated header',
    named('name="tags"\r\nContent-Disposition: form-data; name="name"'),
    /header of a part is malformed/,
  ],
  ['a repeated name', named('name="tags"; name="count"'), /each part needs the header/],
  ['a header without a colon', part('Content-Disposition'), /header of a part is malformed/],
  ['a quote without an end', named('name="tags'), /each part needs the header/],
  ['a long header', named(`name="tags"; x="${'y'.repeat(9_000)}"`), /header of a part is too long/],
  ['bytes that are not UTF-8 as an encoded filename', named("name=photo; filename*=utf-8''%ff"), /not UTF-8/],
])('uploads: 400 for a part with %s', async (_name, text, message) => {
  const { send, received } = await serveBody(UPLOAD);
  expectProblem(await send(BOUNDARY, `${NAME}${text}--x--\r\n`), 400, message);
  expect(received).toEqual([]);
});

test.each(['multipart/form-data', 'multipart/form-data; boundary=""'])(
  'uploads: 400 without a boundary: %s',
  async (contentType) => {
    const { send } = await serveBody(UPLOAD);
    expectProblem(await send(contentType, NAME), 400, /has no boundary/);
  },
);

test('uploads: chunks may end at any byte of a part', async () => {
  const text = `a\r\n--x \r\n${named('name="b"', 'c\r\n--xy\r\n-').slice(5)}${named('name="d"', '')}--x--\r\nend`;
  const partsIn = async (size: number) => {
    const chunks = text.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
    async function* stream() {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    const parts = new Map<string, string>();
    for await (const {
      part: { name },
      bytes,
    } of readParts(stream(), BOUNDARY))
      parts.set(name, (parts.get(name) ?? '') + bytes.toString());
    return [...parts];
  };
  const whole = [
    ['b', 'c\r\n--xy\r\n-'],
    ['d', ''],
  ];
  for (let size = 1; size <= text.length; size += 1) expect([size, await partsIn(size)]).toEqual([size, whole]);
});
