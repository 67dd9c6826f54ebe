import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import type { Contract } from '@contract-first/contract';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { createTestApp, type ServedApp } from '@contract-first/testing/app.ts';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { APPLICATIONS } from '@contract-first/testing/service.ts';

// The types of this document are checked in the handlers of this application.
const DOCUMENT = readFileSync(join(APPLICATIONS, 'members/openapi.yaml'), 'utf8');
const SENT = { name: 'Ada', secret: 'x', roles: [{ title: 'Chair' }] };
const ROLE = { title: 'Chair', granted: '2026-01-01' };
const BODY = { id: 1n, name: 'Ada', since: '2026-01-01', roles: [ROLE] };

const failures = {
  Failure: ({ status, message }: { status: number; message: string }) => ({ error: status, message }),
};
let contract: Contract;
let service: ServedApp;
let received: { readonly body: unknown } | undefined;
let reply: AnyReply;
beforeAll(async () => {
  contract = await contractOf(DOCUMENT);
});
beforeEach(async () => {
  received = undefined;
  reply = { status: 200, headers: { 'X-Count': 1 }, body: BODY };
  const handler = async (given: { readonly body: unknown }): Promise<AnyReply> => {
    received = given;
    return reply;
  };
  service = await createTestApp({ contract, handlers: { addMember: handler, 'photos#add': handler }, failures });
});
const add = (body: object) => request(service.app).post('/members/chess').send(body);

test('a request has no readOnly property, even if required', async () => {
  expect((await add(SENT)).status).toBe(200);
  for (const body of [
    { ...SENT, id: 1 },
    { ...SENT, id: null },
    { ...SENT, since: '2026-01-01' },
    { ...SENT, roles: [ROLE] },
  ]) {
    const response = await add(body);
    expect([response.status, response.body]).toEqual([
      400,
      { error: 400, message: expect.stringMatching(/readOnly|read-only/) },
    ]);
  }
});

test('a request needs a required writeOnly property: 400', async () => {
  expect((await add({ name: 'Ada', roles: [] })).body).toEqual({
    error: 400,
    message: "body must have required property 'secret'",
  });
});

test('a request has defaults when the handler receives it, through references, allOf and lists', async () => {
  await add(SENT);
  expect(received).toMatchObject({
    query: { limit: 20 },
    headers: { 'X-Mode': 'safe' },
    cookies: { page: 1 },
    body: { level: 1, roles: [{ title: 'Chair', weight: 20 }] },
  });
});

test.each(['multipart/form-data', 'application/x-www-form-urlencoded'])(
  'a request as %s has the same rules',
  async (type) => {
    const isMultipart = type.startsWith('multipart');
    const send = (fields: Record<string, string>) => {
      const post = request(service.app).post('/photos');
      return isMultipart
        ? post.field(fields).attach('file', Buffer.from('x'), 'x.png')
        : post.type('form').send(fields);
    };
    reply = { status: 200, body: { id: 1, title: 'x' } };
    expect((await send({ title: 'x', token: 'y' })).status).toBe(200);
    expect(received).toMatchObject({ body: { title: 'x', copies: 1, token: 'y' } });
    expect((await send({ title: 'x', id: '1' })).body).toEqual({ error: 400, message: 'body/id is read-only' });
  },
);

test.each<[string, object]>([
  ['with its required readOnly properties', { name: 'Ada', since: '2026-01-01', roles: [] }],
  ['with members that another part of allOf requires', { id: 1n, name: 'Ada', roles: [] }],
  ['with members of its items', { ...BODY, roles: [{ title: 'Chair' }] }],
  ['without writeOnly properties', { ...BODY, secret: 'x' }],
  ['without members of its items', { ...BODY, roles: [{ ...ROLE, proof: 'x' }] }],
])('a reply is sent only %s, else 500', async (_name, body) => {
  reply = { ...reply, body };
  expect((await add(SENT)).status).toBe(500);
  expect(service.logged).toContainEqual(expect.objectContaining({ msg: 'request failed' }));
});

test('a reply is sent only without the defaults of requests', async () => {
  expect((await add(SENT)).text).toBe(
    '{"id":1,"name":"Ada","since":"2026-01-01","roles":[{"title":"Chair","granted":"2026-01-01"}]}',
  );
});

test('a reply is sent only with its required headers, and without the optional ones', async () => {
  expect((await add(SENT)).headers).toMatchObject({ 'x-count': '1' });
  reply = { ...reply, headers: { 'X-Note': 'x' } };
  expect((await add(SENT)).status).toBe(500);
});

/** Sends a JSON body. Returns the body that the handler receives, or the status. */
async function receive(schema: string, body: object, rest = ''): Promise<unknown> {
  const content = `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;
  const text = documentOf('/a', 'post', `${content}\nresponses: { '204': { description: Done. } }`, rest);
  let got: unknown;
  const op = async (given: { readonly body: unknown }): Promise<AnyReply> => {
    got = given.body;
    return { status: 204 };
  };
  const { app } = await createTestApp({ contract: await contractOf(text), handlers: { op } });
  const response = await request(app).post('/a').send(body);
  return response.status === 204 ? got : response.status;
}
const ALTERNATIVES = `
components:
  schemas:
    Cat: { type: object, required: [kind], properties: { kind: { const: cat }, lives: { type: integer, default: 9 }, toys: { type: array, items: { $ref: '#/components/schemas/Toy' } } }, additionalProperties: false }
    Dog: { type: object, required: [kind], properties: { kind: { const: dog } }, additionalProperties: false }
    Toy: { type: string }`;

test('a default of one alternative does not change a value of another', async () => {
  const either = "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] }";
  expect(await receive(either, { kind: 'dog' }, ALTERNATIVES)).toEqual({ kind: 'dog' });
  expect(await receive("{ $ref: '#/components/schemas/Cat' }", { kind: 'cat' }, ALTERNATIVES)).toEqual({
    kind: 'cat',
    lives: 9,
  });
});

test.each<[string, string, object, object]>([
  [
    'a schema that is closed to it',
    "{ allOf: [{ $ref: '#/components/schemas/Label' }], additionalProperties: false }",
    {},
    { scheme: 'label' },
  ],
  [
    'an alternative that is closed to it',
    "{ allOf: [{ $ref: '#/components/schemas/Label' }], oneOf: [{ $ref: '#/components/schemas/Dog' }, { type: string }] }",
    { kind: 'dog' },
    { kind: 'dog', scheme: 'label' },
  ],
  [
    'a condition for it',
    "{ allOf: [{ $ref: '#/components/schemas/Label' }], not: { required: [scheme] } }",
    {},
    { scheme: 'label' },
  ],
  ['a limit of properties', '{ maxProperties: 1, properties: { a: { default: 1 } } }', { b: 2 }, { a: 1, b: 2 }],
])('a default does not make a value invalid, despite %s', async (_name, schema, body, want) => {
  const label = `${ALTERNATIVES}
    Label: { type: object, properties: { scheme: { type: string, default: label } } }`;
  expect(await receive(schema, body, label)).toEqual(want);
});

test('components with the name of a direction of another component stay separate', async () => {
  const components = `
components:
  schemas:
    Cat: { type: object, properties: { id: { type: integer, readOnly: true } } }
    Cat.sent: { type: object, required: [name], properties: { name: { type: string } } }
    Cat.sent2: { type: object, required: [age], properties: { age: { type: integer, readOnly: false } } }
    Cat.received: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: object, required: [owner], properties: { owner: { type: string } } }`;
  const each = ['Cat', 'Cat.sent', 'Cat.sent2', 'Cat.received'].map(
    (name) => `'${name}': { $ref: '#/components/schemas/${name}' }`,
  );
  const schema = `{ type: object, properties: { ${each.join(', ')} } }`;
  const body = { Cat: {}, 'Cat.sent': { name: 'a' }, 'Cat.sent2': { age: 1 }, 'Cat.received': { owner: 'b' } };
  expect(await receive(schema, body, components)).toEqual(body);
  expect(await receive(schema, { Cat: { id: 1 } }, components)).toBe(400);
  for (const name of ['Cat.sent', 'Cat.sent2', 'Cat.received'])
    expect(await receive(schema, { [name]: {} }, components)).toBe(400);
});

test('schemas that make different properties of a component readOnly require the other properties', async () => {
  const components = `
components:
  schemas:
    Pair: { type: object, required: [a, b], properties: { a: {}, b: {} } }`;
  const without = (name: string): string =>
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }, { properties: { ${name}: { readOnly: true } } }] }`;
  const schema = `{ type: object, properties: { x: ${without('a')}, y: ${without('b')} } }`;
  expect(await receive(schema, { x: { b: 1 }, y: { a: 1 } }, components)).toEqual({ x: { b: 1 }, y: { a: 1 } });
  expect(await receive(schema, { x: {} }, components)).toBe(400);
  expect(await receive(schema, { y: {} }, components)).toBe(400);
});

test('a default does not make a value valid: 400', async () => {
  const schema = '{ type: object, minProperties: 1, properties: { a: { default: 1 } } }';
  expect(await receive(schema, {})).toBe(400);
  expect(await receive(schema, { b: 2 })).toEqual({ a: 1, b: 2 });
});

test('a default of an object has the defaults of its properties', async () => {
  const schema = `{ type: object, properties: { size: { type: object, default: { unit: cm }, properties: {
      unit: { type: string, default: m }, width: { type: integer, default: 1 }, id: { type: integer, default: 2, readOnly: true },
      parts: { type: array, default: [{}], items: { $ref: '#/components/schemas/Part' } } } } } }`;
  const part = `
components:
  schemas:
    Part: { type: object, properties: { weight: { type: integer, format: int64, default: 3 }, inner: { $ref: '#/components/schemas/Part' } } }`;
  expect(await receive(schema, {}, part)).toEqual({ size: { unit: 'cm', width: 1, parts: [{ weight: 3n }] } });
  const endless = part.replace('inner: {', 'inner: { default: {}, allOf: [{').replace(' } } }', ' }] } } }');
  expect(await receive("{ $ref: '#/components/schemas/Part' }", {}, endless)).toEqual({
    weight: 3n,
    inner: { weight: 3n },
  });
});

test('a default that does not conform to its schema is not used', async () => {
  const schema =
    "{ type: object, properties: { a: { type: integer, default: '' }, b: { type: string, format: date, default: '' }, c: { type: [string, 'null'], default: null } } }";
  expect(await receive(schema, {})).toEqual({ c: null });
});

test('a default does not replace a required property: 400', async () => {
  const schema = '{ type: object, required: [a], properties: { a: { type: integer, default: 1 } } }';
  expect(await receive(schema, {})).toBe(400);
});

test('a reply of null is sent where the schema allows null, else 500', async () => {
  for (const [type, status] of [
    ["[object, 'null']", 200],
    ['object', 500],
  ] as const) {
    const operation = `responses: { '200': { description: Done., content: { application/json: { schema: { type: ${type} } } } } }`;
    const op = async (): Promise<AnyReply> => ({ status: 200, body: null });
    const { app } = await createTestApp({
      contract: await contractOf(documentOf('/a', 'get', operation)),
      handlers: { op },
    });
    expect((await request(app).get('/a')).status).toBe(status);
  }
});

test('a text body is a string, independent of its schema', async () => {
  const content =
    'content: { text/plain: { schema: { type: object } }, application/json: { schema: { type: object } } }';
  const operation = `requestBody: { ${content} }\nresponses: { '200': { description: Done., ${content} } }`;
  const op = async (): Promise<AnyReply> => ({ status: 200, contentType: 'text/plain', body: 'yes' });
  const { app } = await createTestApp({
    contract: await contractOf(documentOf('/a', 'post', operation)),
    handlers: { op },
  });
  expect((await request(app).post('/a').type('text/plain').send('x')).text).toBe('yes');
  expectProblem(await request(app).post('/a').send([]), 400, /body must be object/);
});
