import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import type { FailureDetails } from '../../../contract/src/handlers/handler-types.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const JSON_TYPE = 'application/json';

/** Serves PUT /a/{id}. Returns a function that sends a request and returns the details of its failure. */
async function serve(schema: string, { parameters = '', mediaType = JSON_TYPE, rest = '' } = {}) {
  const failure = `{ description: No., content: { ${JSON_TYPE}: { schema: { type: object, title: Failure } } } }`;
  const operation = [
    `parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }${parameters}]`,
    `requestBody: { required: true, content: { ${mediaType}: { schema: ${schema} } } }`,
    `responses: { '204': { description: Done. }, '400': ${failure}, default: ${failure} }`,
  ];
  const contract = await contractOf(documentOf('/a/{id}', 'put', operation.join('\n'), rest));
  const op = async () => ({ status: 204 });
  const render = (details: object) => details;
  const { app, serve: listen } = await createTestApp({ contract, handlers: { op }, failures: { op400: render } });
  const send = async (body: string | object, target = '/a/1', headers: Record<string, string> = {}) => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await request(app)
      .put(target)
      .set({ 'Content-Type': mediaType, ...headers })
      .serialize((value: unknown) => value as string)
      .send(sent);
    return response.body as { status: number; message: string; violations: FailureDetails['violations'] };
  };
  return { send, listen };
}

/** Returns the violations of a failure as lines. */
function linesOf({ violations }: Pick<FailureDetails, 'violations'>): readonly string[] {
  return violations.map(({ place, message }) => `${place} ${message}`);
}

const NAME = '{ type: string, minLength: 1 }';
const ITEM =
  '{ type: object, required: [size], properties: { size: { type: integer, minimum: 1 }, tag: { type: string } } }';
const ORDER = `{ type: object, required: [name, items], additionalProperties: false, properties: { name: ${NAME}, items: { type: array, maxItems: 20, items: ${ITEM} } } }`;
const PARAMETERS = [
  ', { name: limit, in: query, schema: { type: integer, maximum: 9 } }',
  ', { name: X-Count, in: header, required: true, schema: { type: integer } }',
  ', { name: theme, in: cookie, schema: { enum: [light, dark] } }',
].join('');

test('a 400 lists the violations of a request, each with its place, in the message and in the list', async () => {
  const { send } = await serve(ORDER);
  expect(await send({ name: '', items: [{ size: 1 }, { size: 0, tag: 1 }, {}], more: 1 })).toMatchObject({
    status: 400,
    message: [
      'body/name must NOT have fewer than 1 characters',
      'body/items/1/size must be >= 1',
      'body/items/1/tag must be string',
      "body/items/2 must have required property 'size'",
      'body must NOT have additional properties',
    ].join('; '),
    violations: [
      { place: 'body/name', message: 'must NOT have fewer than 1 characters' },
      { place: 'body/items/1/size', message: 'must be >= 1' },
      { place: 'body/items/1/tag', message: 'must be string' },
      { place: 'body/items/2/size', message: 'is required' },
      { place: 'body/more', message: 'is not allowed' },
    ],
  });
});

test('a 400 lists the violations of a request: a single violation has the same message', async () => {
  const { send } = await serve(ORDER);
  expect(await send({ name: 'a' })).toMatchObject({
    message: "body must have required property 'items'",
    violations: [{ place: 'body/items', message: 'is required' }],
  });
});

test('a 400 lists the violations of every parameter and of the body', async () => {
  const { send } = await serve(ORDER, { parameters: PARAMETERS });
  const failure = await send({ items: 1 }, '/a/x?limit=10&other=1', { Cookie: 'theme=blue' });
  expect(linesOf(failure).toSorted()).toEqual([
    'body/items must be array',
    'body/name is required',
    'cookie/theme must be equal to one of the allowed values: light, dark',
    'header/X-Count is required',
    'path/id must be integer',
    'query/limit must be <= 9',
    'query/other is not documented',
  ]);
  expect(failure.message).toMatch(/path parameter id must be integer; query parameter other is not documented; /);
});

test('a 400 lists the violations of a request: a malformed parameter is not missing, and each invalid item is listed', async () => {
  const list =
    ', { name: q, in: query, required: true, schema: { type: array, minItems: 3, items: { type: integer } } }';
  const { send } = await serve('{}', { parameters: list });
  expect(linesOf(await send({}, '/a/1?q=1&q=x&q=y'))).toEqual([
    'query/q/1 must be integer',
    'query/q/2 must be integer',
  ]);
});

test('a 400 lists the violations of the parameters even if the body is malformed', async () => {
  const { send } = await serve(ORDER, { parameters: PARAMETERS });
  const [malformed, ...others] = linesOf(await send('{', '/a/1?limit=10'));
  expect(malformed).toMatch(/^body is not valid JSON/);
  expect(others.toSorted()).toEqual(['header/X-Count is required', 'query/limit must be <= 9']);
});

test('a 400 lists the violations of a request: integers beyond int64 and other violations', async () => {
  const { send } = await serve(
    '{ type: object, required: [name], properties: { n: { type: integer, format: int64 }, m: { type: integer, format: int64 } } }',
  );
  const range = 'must be between -9223372036854775808 and 9223372036854775807';
  const failure = await send('{"n":9223372036854775808,"m":1.5}', '/a/9223372036854775808');
  expect(linesOf(failure).toSorted()).toEqual([
    'body/m must be integer',
    `body/n ${range}`,
    'body/name is required',
    `path/id ${range}`,
  ]);
});

test('a 400 lists the violations of each field of a form', async () => {
  const { send } = await serve(
    '{ type: object, required: [a, b, c], properties: { a: { type: integer }, b: { type: boolean }, c: { type: string } } }',
    { mediaType: 'application/x-www-form-urlencoded' },
  );
  expect(linesOf(await send('a=x&b=y'))).toEqual([
    'body/a must be integer',
    'body/b must be boolean',
    'body/c is required',
  ]);
});

test('a 400 lists at most ten violations of a request', async () => {
  const { send } = await serve('{ type: array, items: { type: string } }');
  const { message, violations } = await send(Array.from({ length: 50 }, (_, index) => index));
  expect(violations.map(({ place }) => place)).toEqual(
    Array.from({ length: 10 }, (_, index) => `body/${String(index)}`),
  );
  expect(message.split('; ')).toHaveLength(10);
});

test('a 400 lists the violations of a request: names are escaped as in a JSON pointer', async () => {
  const { send } = await serve('{ type: object, additionalProperties: { type: string } }');
  expect(linesOf(await send({ 'a/b~c': 1 }))).toEqual(['body/a~1b~0c must be string']);
});

const PETS = '{ oneOf: [{ type: object, required: [bark] }, { type: object, required: [purr] }] }';
const TREE =
  "components: { schemas: { Tree: { type: object, required: [id], properties: { id: { type: integer }, next: { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Tree' }] } } } } }";
const KINDS =
  '{ type: object, required: [kind], if: { properties: { kind: { const: a } } }, then: { properties: { x: { type: integer }, y: { type: integer } } } }';
test.each<[string, string, unknown, readonly string[]]>([
  ['of the same type are one violation', PETS, {}, ['body must match exactly one schema in oneOf']],
  ['none has the type', "{ anyOf: [{ type: string }, { type: 'null' }] }", 1, ['body must match a schema in anyOf']],
  [
    'one has the type',
    "{ anyOf: [{ type: string, maxLength: 1 }, { type: 'null' }] }",
    'ab',
    ['body must NOT have more than 1 characters'],
  ],
  [
    'in a recursive schema',
    "{ $ref: '#/components/schemas/Tree' }",
    { next: { id: 'x', next: {} } },
    ['body/id is required', 'body/next/id must be integer', 'body/next/next/id is required'],
  ],
  ['by a condition', KINDS, { kind: 'a', x: '', y: '' }, ['body/x must be integer', 'body/y must be integer']],
  [
    'and parts',
    '{ allOf: [{ required: [a] }, { required: [b] }, { maxProperties: 0 }] }',
    { c: 1 },
    ['body/a is required', 'body/b is required', 'body must NOT have more than 0 properties'],
  ],
  [
    'and names',
    "{ propertyNames: { pattern: '^a' } }",
    { b: 1 },
    ['body/b property name must be valid: must match pattern "^a"'],
  ],
  [
    'unevaluated properties',
    '{ allOf: [{ properties: { a: { type: string } } }], unevaluatedProperties: false }',
    { a: 1, b: 1 },
    ['body/a must be string'],
  ],
  [
    'tuples',
    '{ prefixItems: [{ type: string }, { type: integer }], items: false }',
    [1, '', 2],
    ['body must NOT have more than 2 items', 'body/0 must be string', 'body/1 must be integer'],
  ],
  [
    'no default in place of a required property',
    '{ allOf: [{ properties: { a: { default: 1 } } }, { required: [a, b] }] }',
    {},
    ['body/a is required', 'body/b is required'],
  ],
])('schemas with alternatives: %s', async (_name, schema, body, lines) => {
  const { send } = await serve(schema, { rest: TREE });
  expect(linesOf(await send(JSON.stringify(body)))).toEqual(lines);
  expect(linesOf(await send(JSON.stringify(body)))).toEqual(lines);
});

test('problem details have the violations as errors', async () => {
  const operation = `parameters: [{ name: n, in: query, schema: { type: integer } }, { name: X-A, in: header, required: true, schema: {} }]
requestBody: { content: { ${JSON_TYPE}: { schema: { additionalProperties: { type: string } } } } }
responses: { '204': { description: Done. } }`;
  const contract = await contractOf(documentOf('/a', 'post', operation));
  const { app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) } });
  const failure = await request(app).post('/a?n=x').send({ 'a b/#ü': 1 });
  expect(failure.body).toMatchObject({
    status: 400,
    errors: [
      { detail: 'must be integer', in: 'query', name: 'n' },
      { detail: 'is required', in: 'header', name: 'X-A' },
      { detail: 'must be string', pointer: '#/a%20b~1%23%C3%BC' },
    ],
  });
  const other = await request(app).get('/b');
  expect(other.body).toEqual({ status: 404, title: 'Not Found', detail: expect.any(String) });
});

test('an undocumented failure is text if all documented failures are text', async () => {
  const failure = '{ description: No., content: { application/text: { schema: { type: string } } } }';
  const contract = await contractOf(
    documentOf('/a', 'get', `responses: { '204': { description: Done. }, default: ${failure} }`),
  );
  const failures = { opDefault: ({ message }: { message: string }) => message };
  const { app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) }, failures });
  const { status, headers, body } = (await request(app).post('/a').responseType('blob')) as {
    status: number;
    headers: Record<string, string>;
    body: Buffer;
  };
  expect([status, headers['content-type'], String(body)]).toEqual([
    405,
    'application/text',
    'this path allows only GET, HEAD, OPTIONS',
  ]);
});

test('an undocumented failure has the format of all default responses rather than the most common format', async () => {
  const bodyOf = (title: string) =>
    `{ description: No., content: { ${JSON_TYPE}: { schema: { type: object, title: ${title} } } } }`;
  const statuses = ['400', '500', '501', '503'].map((status) => `'${status}': ${bodyOf('Usual')}`).join(', ');
  const responses = `responses: { '204': { description: Done. }, ${statuses}, default: ${bodyOf('Other')} }`;
  const contract = await contractOf(documentOf('/a', 'get', responses));
  const failures = { op400: () => ({ of: '400' }), opDefault: () => ({ of: 'default' }) };
  const { app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) }, failures });
  expect((await request(app).get('/b')).body).toEqual({ of: 'default' });
});

test('failures before the body are reported alone: a body that is not read: 415', async () => {
  const { send } = await serve(ORDER, { parameters: PARAMETERS });
  const failure = await send('x', '/a/x?other=1', { 'Content-Type': 'text/plain' });
  expect(failure).toMatchObject({ status: 415, violations: [] });
});

test('failures before the body are reported alone: no 100 Continue when a parameter is malformed', async () => {
  const { listen } = await serve(ORDER);
  const { port, hostname } = new URL((await listen()).url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `PUT /a/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 2\r\n\r\n`,
  );
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('path/id');
});
