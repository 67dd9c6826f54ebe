import { STATUS_CODES } from 'node:http';
import request from 'supertest';
import { createTestApp } from '@contract-first/testing/app.ts';
import { openRawConnection } from '@contract-first/testing/connection.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { readConfig } from '@contract-first/engine/tools';

const document = documentOf(
  '/a',
  'get',
  `responses:
  '200':
    description: It.
    headers: { X-Count: { schema: { type: integer } } }
    content:
      application/json: { schema: { type: object, required: [a], properties: { a: { type: integer } } } }
      application/jsonl: { itemSchema: { type: integer } }
      image/png: { schema: { type: string, format: binary, maxLength: 3 } }`,
);
const contract = await contractOf(document.replace('openapi: 3.1.0', 'openapi: 3.2.0'));

async function* items<Item>(...values: readonly Item[]): AsyncGenerator<Item> {
  yield* values;
  await Promise.resolve();
}

/** Serves a reply with VALIDATE_RESPONSES=report. */
async function serve(reply: () => object) {
  const op = () => Promise.resolve(reply() as { readonly status: number });
  const { app, logged, metrics } = await createTestApp({ contract, handlers: { op }, responseValidation: 'report' });
  const response = await request(app)
    .get('/a')
    .buffer()
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        done(null, Buffer.concat(chunks).toString());
      });
    });
  const lines = logged.filter(({ msg }) => msg === 'a response does not conform to the document');
  const headers = response.headers as Readonly<Record<string, string>>; // As Node returns them.
  return {
    status: response.status,
    type: headers['content-type'],
    count: headers['x-count'],
    body: response.body as unknown,
    problems: lines.map(({ problem }) => problem),
    isCounted: (await metrics()).includes(`http_responses_invalid_total{operation="op"} ${String(lines.length)}`),
  };
}

test.each<[string, () => object, object]>([
  ['a body', () => ({ status: 200, body: { a: 'x' } }), { status: 200, body: '{"a":"x"}' }],
  ['a header', () => ({ status: 200, headers: { 'X-Count': 'x' }, body: { a: 1 } }), { count: 'x', body: '{"a":1}' }],
  ['a status', () => ({ status: 418, body: { big: 2n ** 60n } }), { status: 418, body: '{"big":1152921504606846976}' }],
  ['a text', () => ({ status: 418, body: 'tea' }), { type: 'text/plain', body: 'tea' }],
  ['no body', () => ({ status: 204 }), { status: 204, body: '' }],
  [
    'a media type',
    () => ({ status: 200, contentType: 'text/csv', body: items('a', 'b') }),
    { type: 'text/csv', body: 'ab' },
  ],
  [
    'an item of a stream',
    () => ({ status: 200, contentType: 'application/jsonl', body: items<unknown>(1, 'x', 2) }),
    { status: 200, body: '1\n"x"\n2\n' },
  ],
])('with VALIDATE_RESPONSES=report, a reply is sent, logged and counted: %s', async (_name, reply, want) => {
  const { problems, ...sent } = await serve(reply);
  expect(sent).toMatchObject({ ...want, isCounted: true });
  expect(problems).toHaveLength(1);
});

test.each<[string, object, { readonly status: number; readonly has?: readonly string[] }]>([
  ['204 has no body', { status: 204, body: { a: 1 } }, { status: 204 }],
  ['204 has no stream', { status: 204, body: items('abc') }, { status: 204 }],
  ['304 has no body', { status: 304, body: 'x' }, { status: 304 }],
  ['205 has no body', { status: 205, body: 'x' }, { status: 205, has: ['content-length'] }],
  [
    'a whole body has only its Content-Length',
    { status: 200, headers: { 'Transfer-Encoding': 'chunked', 'Content-Length': '3', Trailer: 'x' }, body: { a: 1 } },
    { status: 200, has: ['content-length', 'content-type'] },
  ],
  [
    'a stream has no Content-Length that is not a number',
    { status: 200, headers: { 'Content-Length': '3, 3' }, contentType: 'image/png', body: items('abc') },
    { status: 200, has: ['content-type', 'transfer-encoding'] },
  ],
  ['100 is not final', { status: 100 }, { status: 500 }],
  ['101 is not final', { status: 101, headers: { Connection: 'upgrade', Upgrade: 'x' } }, { status: 500 }],
  ['999 is not a status', { status: 999 }, { status: 500 }],
  [
    'a header with a line break',
    { status: 200, headers: { 'X-Note': 'a\r\nX-Evil: 1' }, body: { a: 1 } },
    { status: 500 },
  ],
  ['a media type with a line break', { status: 200, contentType: 'text/html\r\nX-Evil: 1', body: '' }, { status: 500 }],
])(
  'with VALIDATE_RESPONSES=report, the connection serves the next request: %s',
  async (_name, reply, { status, has }) => {
    const replies: object[] = [reply, { status: 200, body: { a: 7 } }];
    const op = () => Promise.resolve(replies.shift() as { readonly status: number });
    const app = await createTestApp({ contract, handlers: { op }, responseValidation: 'report' });
    const connection = await openRawConnection((await app.serve()).url);
    connection.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    const [first = '', second = ''] = (await connection.receive('{"a":7}')).split(/(?<=[^])(?=HTTP\/1\.1 )/);
    expect(first.split('\r\n', 1)).toEqual([`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`]);
    const fields = [...first.matchAll(/^(content-[lt]\w+|transfer-encoding|trailer|x-evil):/gim)].map(([, name]) =>
      name?.toLowerCase(),
    );
    expect(fields.sort()).toEqual(has ?? (status === 500 ? ['content-length', 'content-type'] : []));
    expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  },
);

test('with VALIDATE_RESPONSES=report, a stream of an undocumented size is sent completely', async () => {
  const reply = () => ({ status: 200, contentType: 'image/png', body: items('abcdef') });
  expect(await serve(reply)).toMatchObject({ status: 200, body: 'abcdef', problems: [] });
});

test('with VALIDATE_RESPONSES=report, 500 for a handler that throws', async () => {
  const reply = () => {
    throw new Error('a bug');
  };
  expect(await serve(reply)).toMatchObject({ status: 500, problems: [] });
});

test('an invalid value of VALIDATE_RESPONSES prevents the start', async () => {
  const read = await readConfig({ VALIDATE_RESPONSES: 'off' }, undefined);
  expect(read).toEqual({ problems: ['VALIDATE_RESPONSES must be enforce or report, not "off"'] });
});
