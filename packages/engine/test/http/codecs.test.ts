import request from 'supertest';
import type { Codec, CodedBody } from '@contract-first/engine';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp, type Overrides } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import type { ValidRequest } from '../../src/http/handle/validate-request.ts';

/**
 * A codec for lines such as `size=1`. Integers are bigints, `a.b=1` is a nested member, an empty value is `undefined`.
 */
const lines: Codec = {
  decode(bytes, { contentType }) {
    const charset = /charset=([^;]+)/.exec(contentType)?.[1] ?? 'utf-8';
    const root: Record<string, unknown> = {};
    for (const line of new TextDecoder(charset, { fatal: true }).decode(bytes).split('\n')) {
      const [, path, text] = /^([\w.]+)=(.*)$/.exec(line) ?? [];
      if (path === undefined || text === undefined) throw new SyntaxError(`${line} has no value`);
      if (text === '') return undefined;
      const keys = path.split('.');
      const last = keys.pop() ?? '';
      const holder = keys.reduce((node, key) => (node[key] ??= {}) as Record<string, unknown>, root);
      holder[last] = /^-?\d+$/.test(text) ? BigInt(text) : text;
    }
    return root;
  },
  encode(value) {
    const members = Object.entries(value as object);
    if (members.length === 0) throw new Error('nothing to write');
    return members.map(([name, member]) => `${name}=${String(member)}`).join('\n');
  },
};

const ITEM = `{ type: object, required: [id], additionalProperties: false, properties: {
  id: { type: integer, format: int64 }, size: { type: integer, minimum: 1 }, name: { type: string, default: Anna },
  inner: { type: object } } }`;
const TYPES = ['application/xml', 'application/vnd.x+xml', 'text/lines'];

type Parts = Partial<Overrides> & { readonly content?: string; readonly required?: boolean; readonly reply?: object };

/** Serves POST /a with bodies in the format of the codec. */
async function serve({ content, required = true, reply = { status: 204 }, ...overrides }: Parts = {}) {
  const coded = TYPES.map((type) => `${type}: { schema: { $ref: '#/components/schemas/Item' } }`).join(', ');
  const document = documentOf(
    '/a',
    'post',
    `requestBody: { required: ${String(required)}, content: { ${content ?? coded} } }
responses:
  '200': { description: It., content: { ${content ?? coded} } }
  '204': { description: Done. }`,
    `components: { schemas: { Item: ${ITEM} } }`,
  );
  const received: ValidRequest[] = [];
  const op = (got: never) => {
    received.push(got);
    return Promise.resolve(reply as { readonly status: number });
  };
  const codecs = Object.fromEntries(TYPES.map((type) => [type, lines]));
  const served = await createTestApp({
    contract: await contractOf(document, { codecs: TYPES }),
    handlers: { op },
    codecs,
    ...overrides,
  });
  const send = (type: string, body?: string | Buffer) => {
    const sending = request(served.app)
      .post('/a')
      .set('Content-Type', type)
      .serialize((value: unknown) => value as string);
    return body === undefined ? sending : sending.send(body as string);
  };
  const logged = () => served.logged.map(({ msg, problem }) => [msg, problem]);
  return { ...served, received, send, logged };
}

test.each([...TYPES, 'application/xml; charset=utf-8', 'Application/XML', 'application/vnd.x+xml;v=2'])(
  'a body with a codec is a value of its schema: 204: %s',
  async (type) => {
    const { send, received } = await serve();
    expect((await send(type, 'id=9223372036854775807\nsize=3')).status).toBe(204);
    const body = { id: 9223372036854775807n, size: 3, name: 'Anna' };
    expect(received[0]).toMatchObject({ contentType: type.replace('Application/XML', 'application/xml'), body });
  },
);

test.each<[string, RegExp]>([
  ['size=0', /body\/size must be >= 1.*required property 'id'|required property 'id'.*body\/size must be >= 1/],
  ['id=a', /^body\/id must be integer$/],
  ['id=9223372036854775808', /^body\/id must be between -9223372036854775808 and 9223372036854775807$/],
  ['id=1\nother=1', /must NOT have additional properties/],
])('a decoded body that does not conform: 400: %s', async (body, message) => {
  const { send, received } = await serve();
  expectProblem(await send('application/xml', body), 400, message);
  expect(received).toEqual([]);
});

test.each<[string, string | Buffer, RegExp]>([
  ['the message of a SyntaxError', 'id', /^the request body is not valid application\/xml: id has no value$/],
  ['no message of other errors', Buffer.from([0xff]), /^the request body is not valid application\/xml$/],
  ['too many levels', `${'a.'.repeat(600)}b=1`, /nested more than 500 levels deep$/],
  ['no value', 'id=', /^body must be object$/],
])('a body that its codec cannot decode: 400 with %s', async (_case, body, message) => {
  const { send, received } = await serve();
  const response = await send('application/xml', body);
  expectProblem(response, 400, message);
  expect((response.body as { errors: unknown }).errors).toMatchObject([{ pointer: '#' }]);
  expect(received).toEqual([]);
});

test('an empty body with a codec counts as missing: 400 where a body is required', async () => {
  const { send } = await serve();
  expectProblem(await send('application/xml'), 400, /^a request body is required$/);
  expectProblem(await send('text/lines', ''), 400, /^a request body is required$/);
  const optional = await serve({ required: false });
  expect((await optional.send('application/xml')).status).toBe(204);
  expect(optional.received[0]?.body).toBeUndefined();
});

test('a body with a codec has the usual size limit: 413', async () => {
  const { send, received } = await serve({ bodyLimitBytes: 20 });
  expectProblem(await send('application/xml', `id=1\nname=${'x'.repeat(20)}`), 413, /20 bytes/);
  expect(received).toEqual([]);
});

test('the codec of a text receives the charset: 204', async () => {
  const { send, received } = await serve();
  expect((await send('text/lines; charset=utf-16le', Buffer.from('id=1\nname=é', 'utf16le'))).status).toBe(204);
  expect(received[0]?.body).toEqual({ id: 1n, name: 'é' });
});

test('a media type range is bytes beside a type with a codec, which has a parameter in the document: 204', async () => {
  const { send, received } = await serve({
    content: `'application/XML; charset=utf-8': { schema: { $ref: '#/components/schemas/Item' } },
      'application/*+xml': {}, '*/*': {}`,
    codecs: { 'application/xml': lines },
  });
  for (const type of ['application/xml', 'application/vnd.x+xml', 'image/png'])
    expect((await send(type, 'id=1')).status).toBe(204);
  expect(received.map(({ body }) => body)).toEqual([{ id: 1n, name: 'Anna' }, expect.any(Blob), expect.any(Blob)]);
});

test('a codec receives the schema of the body, with the keyword xml and referenced schemas', async () => {
  const known: CodedBody[] = [];
  const codec: Codec = {
    decode(_bytes, body) {
      known.push(body);
      return {};
    },
    encode(_value, body) {
      known.push(body);
      return new Uint8Array([1, 2]);
    },
  };
  const schema = "{ $ref: '#/components/schemas/It' }";
  const operation = `requestBody: { content: { application/xml: { schema: ${schema} } } }
responses: { '200': { description: It., content: { application/xml: { schema: ${schema} } } } }`;
  const rest = `components: { schemas: { It: { type: object, xml: { name: it }, properties: {
    a: { type: string, xml: { attribute: true } }, b: { type: string, readOnly: true } } } } }`;
  const { send } = await serve({
    contract: await contractOf(documentOf('/a', 'post', operation, rest), { codecs: ['application/xml'] }),
    codecs: { 'application/xml': codec },
    reply: { status: 200, body: {} },
  });
  const response = await send('application/xml;v=1', 'x');
  expect([response.status, response.headers['content-length']]).toEqual([200, '2']);
  expect(known.map(({ contentType }) => contentType)).toEqual(['application/xml;v=1', 'application/xml']);
  for (const { schema, schemas } of known)
    expect(schemas[(schema as { $ref: string }).$ref]).toMatchObject({
      xml: { name: 'it' },
      properties: { a: { xml: { attribute: true } } },
    });
});

const reply = (body: unknown, contentType = 'application/xml') => ({ status: 200, contentType, body });

test.each(['application/xml', 'application/vnd.x+xml; charset=utf-8', 'text/lines'])(
  'a reply with a codec is encoded: 200: %s',
  async (type) => {
    const { send } = await serve({ reply: reply({ id: 9007199254740993n, name: 'é' }, type) });
    const response = await send(type, 'id=1').buffer().responseType('blob');
    expect([response.status, response.headers['content-type']]).toEqual([200, type]);
    expect((response.body as Buffer).toString()).toBe('id=9007199254740993\nname=é');
  },
);

test.each<[string, unknown]>([
  ['a value that does not conform', { size: 1 }],
  ['an int64 that is none', { id: 2n ** 63n }],
  ['text', 'id=1'],
  ['bytes', Buffer.from('id=1')],
  ['no body', undefined],
])('a reply with a codec that is %s: 500', async (_case, body) => {
  const { send } = await serve({ reply: reply(body) });
  expect((await send('application/xml', 'id=1')).status).toBe(500);
});

test('a reply with a codec that is a stream: 500', async () => {
  async function* stream() {
    yield await Promise.resolve('id=1');
  }
  const { send } = await serve({ reply: reply(stream()) });
  expect((await send('application/xml', 'id=1')).status).toBe(500);
});

test('VALIDATE_RESPONSES=report: a nonconforming value is encoded, sent and logged: 200', async () => {
  const { send, logged } = await serve({ reply: reply({ size: 1n }), responseValidation: 'report' });
  const response = await send('application/xml', 'id=1').buffer().responseType('blob');
  expect([response.status, (response.body as Buffer).toString()]).toEqual([200, 'size=1']);
  expect(logged()).toContainEqual([
    'a response does not conform to the document',
    expect.stringContaining("required property 'id'"),
  ]);
});

test('a codec that cannot encode a value: 500', async () => {
  const { send, logged } = await serve({ reply: reply({}), responseValidation: 'report' });
  expect((await send('application/xml', 'id=1')).status).toBe(500);
  expect(logged()).toContainEqual(['request failed', undefined]);
});

test('a failure whose only media type has a codec is rendered as a value: 400', async () => {
  const failure = `{ description: No., content: { application/xml: { schema: {
    type: object, required: [id], properties: { id: { type: integer } } } } } }`;
  const operation = `parameters: [{ name: n, in: query, required: true, schema: { type: integer } }]
responses: { '204': { description: Done. }, '400': ${failure} }`;
  const { app } = await serve({
    contract: await contractOf(documentOf('/a', 'post', operation), { codecs: ['application/xml'] }),
    codecs: { 'application/xml': lines },
    failures: { op400: ({ status }) => ({ id: status }) },
  });
  const response = await request(app).post('/a').buffer().responseType('blob');
  expect([response.status, response.headers['content-type']]).toEqual([400, 'application/xml']);
  expect((response.body as Buffer).toString()).toBe('id=400');
});

test.each<[string, Readonly<Record<string, Codec>>, RegExp]>([
  ['lacks a codec', { 'application/xml': lines, 'text/lines': lines }, /^no codec for application\/vnd\.x\+xml: /],
  [
    'has one for another type',
    Object.fromEntries([...TYPES, 'image/png'].map((type) => [type, lines])),
    /^generated\/contract\.json has no body for the codec of image\/png: /,
  ],
  [
    'has one for JSON, forms, sequences or ranges',
    Object.fromEntries([...TYPES, 'application/json', 'multipart/form-data', 'text/*'].map((type) => [type, lines])),
    /^there can be no codec for application\/json, multipart\/form-data, text\/\*: /,
  ],
])('an application that %s does not start', async (_case, codecs, message) => {
  await expect(serve({ codecs })).rejects.toThrow(message);
  await expect(serve({ codecs, production: false })).rejects.toThrow(message);
});

test.each([
  ['decodes to a promise', { decode: (): unknown => Promise.reject(new SyntaxError('later')), encode: () => '' }],
  ['encodes to a promise', { decode: () => ({ id: 1n }), encode: (): unknown => Promise.reject(new Error('later')) }],
  ['encodes to nothing', { decode: () => ({ id: 1n }), encode: () => undefined }],
])('a codec that %s is a logged bug: 500, and the process continues', async (_name, codec) => {
  const content = 'application/xml: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } }';
  const operation = `requestBody: { content: { ${content} } }\nresponses: { '200': { description: It., content: { ${content} } } }`;
  const { app, logged } = await createTestApp({
    contract: await contractOf(documentOf('/a', 'post', operation), { codecs: ['application/xml'] }),
    codecs: { 'application/xml': codec as unknown as Codec }, // As an application without type checks could pass it.
    handlers: { op: ({ body }: { readonly body: unknown }) => Promise.resolve({ status: 200, body }) },
  });
  const response = await request(app).post('/a').set('Content-Type', 'application/xml').send('<a/>');
  expect(response.status).toBe(500);
  expect(JSON.stringify(logged)).toMatch(
    /the codec of application\/xml must (?:be synchronous|encode to a string or bytes)/,
  );
});

test('a codec that does not return is interrupted: 400 for a request, 500 for a reply, and the service continues', async () => {
  const loop = (): never => {
    for (;;);
  };
  const lazy = {
    get id(): never {
      return loop();
    },
  };
  const slow: Codec = {
    decode: (bytes, body) => {
      const text = Buffer.from(bytes).toString();
      if (text === 'id=0') loop();
      return text === 'lazy' ? lazy : lines.decode(bytes, body);
    },
    encode: loop,
  };
  const reply = { status: 200, contentType: 'text/lines', body: { id: 1n } };
  const { send, received, logged } = await serve({
    reply,
    codecs: Object.fromEntries(TYPES.map((type) => [type, slow])),
  });
  for (const text of ['id=0', 'lazy'])
    expectProblem(
      await send('text/lines', text),
      400,
      /^the request body takes too long to decode: send a smaller one$/,
    );
  expect(received).toEqual([]);
  expectProblem(await send('text/lines', 'id=7'), 500, /failed/);
  expect(received).toMatchObject([{ body: { id: 7n } }]);
  expect(logged().map(([message]) => message)).toContain('a codec took too long to decode a body');
});
