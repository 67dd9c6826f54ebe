import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { until } from '@contract-first/testing/until.ts';
import { startMock, type Mock, type MockOptions, type MockState } from '../src/start-mock.ts';

const json = (name: string): string =>
  `content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const list = (name: string): string =>
  `content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/${name}' } } } }`;
const BOOK_ID = '{ name: bookId, in: path, required: true, schema: { type: integer, format: int64 } }';
const NAME = '{ name: name, in: path, required: true, schema: { type: string } }';
const DOCUMENT = `
openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
security: [{ token: [] }]
paths:
  /books:
    post:
      operationId: addBook
      requestBody: { required: true, ${json('Book')} }
      responses: { '201': { description: Added., ${json('Book')} }, default: { $ref: '#/components/responses/Problem' } }
    get:
      operationId: listBooks
      responses: { '200': { description: Books., ${list('Book')} }, default: { $ref: '#/components/responses/Problem' } }
  /books/{bookId}:
    parameters: [${BOOK_ID}]
    get:
      operationId: getBook
      responses:
        '200':
          description: The book.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Book' }
              example: { id: 7, title: Emma }
        default: { $ref: '#/components/responses/Problem' }
  /books/{bookId}/reviews:
    parameters: [${BOOK_ID}]
    post:
      operationId: addReview
      requestBody: { required: true, ${json('Review')} }
      responses: { '201': { description: Added., ${json('Review')} }, default: { $ref: '#/components/responses/Problem' } }
    get:
      operationId: listReviews
      responses: { '200': { description: Reviews., ${list('Review')} }, default: { $ref: '#/components/responses/Problem' } }
  /settings:
    get: { operationId: getSettings, responses: { '200': { description: The settings., ${json('Settings')} } } }
    put:
      operationId: putSettings
      requestBody: { required: true, ${json('Settings')} }
      responses: { '200': { description: The settings., ${json('Settings')} } }
  /notes/{name}:
    parameters: [${NAME}]
    get:
      operationId: getNote
      responses: { '200': { description: The note., ${json('Note')} }, default: { $ref: '#/components/responses/Problem' } }
    put:
      operationId: putNote
      requestBody: { required: true, ${json('Note')} }
      responses: { '200': { description: Changed. }, '201': { description: Added. }, default: { $ref: '#/components/responses/Problem' } }
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  responses: { Problem: { description: A problem., ${json('Problem')} } }
  schemas:
    Problem: { type: object, required: [code, message], properties: { code: { type: integer }, message: { type: string } } }
    Book:
      type: object
      required: [title]
      properties: { id: { type: integer, format: int64, readOnly: true }, title: { type: string }, secret: { type: string, writeOnly: true } }
    Review: { type: object, required: [text], properties: { id: { type: integer, readOnly: true }, text: { type: string } } }
    Settings: { type: object, additionalProperties: false, properties: { color: { enum: [red, green] } } }
    Note: { type: object, required: [text], properties: { text: { type: string } } }
`;

const path = join(temporaryFolder(), 'books.yaml');
writeFileSync(path, DOCUMENT);

async function start(options?: MockOptions): Promise<Mock> {
  const mock = await startMock(path, options);
  cleanUp(mock.close);
  return mock;
}

/** Sends a request with credentials. Returns the status and the body. */
async function send({ url }: Mock, method: string, target: string, body?: unknown) {
  const response = await fetch(url + target, {
    method,
    headers: { Authorization: 'Bearer any', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

test('a test can replace the state of its mock, and read changes by requests', async () => {
  const mock = await start();
  mock.replaceState({
    '/books': [
      { id: 1, title: 'Persuasion' },
      { id: 2n ** 60n + 1n, title: 'Emma', secret: 'x' },
    ],
    '/books/1/reviews': [{ id: 3, text: 'Good.' }],
    '/notes/a%2Fb': { text: 'Read.' },
  });
  expect((await send(mock, 'GET', '/books')).body).toHaveLength(2);
  expect((await send(mock, 'GET', '/books/1')).body).toEqual({ id: 1, title: 'Persuasion' });
  expect((await send(mock, 'GET', '/books/1152921504606846977')).body).toMatchObject({ title: 'Emma' });
  expect((await send(mock, 'GET', '/books/1/reviews')).body).toEqual([{ id: 3, text: 'Good.' }]);
  expect((await send(mock, 'GET', '/notes/a%2Fb')).body).toEqual({ text: 'Read.' });
  await send(mock, 'POST', '/books', { title: 'Sanditon', secret: 'y' });
  await send(mock, 'PUT', '/settings', { color: 'red' });
  const stored = mock.state();
  expect(stored).toEqual({
    '/books': [
      { id: 1, title: 'Persuasion' },
      { id: 2n ** 60n + 1n, title: 'Emma', secret: 'x' },
      { id: 2, title: 'Sanditon', secret: 'y' },
    ],
    '/books/1/reviews': [{ id: 3, text: 'Good.' }],
    '/notes/a%2Fb': { text: 'Read.' },
    '/settings': { color: 'red' },
  });
  mock.replaceState({ ...stored, '/books': [{ id: 1, title: 'Emma' }] });
  expect((await send(mock, 'GET', '/books')).body).toEqual([{ id: 1, title: 'Emma' }]);
  mock.replaceState(stored);
  expect(mock.state()).toEqual(stored);
});

test('a reset restores the initial state: the examples of the document and the first ids', async () => {
  const mock = await start();
  const first = { '/books': [{ id: 7, title: 'Emma' }] };
  expect(mock.state()).toEqual(first);
  const added = await send(mock, 'POST', '/books', { title: 'Sanditon' });
  mock.replaceState({});
  expect(mock.state()).toEqual({ '/books': [] });
  mock.reset();
  expect(mock.state()).toEqual(first);
  expect(await send(mock, 'POST', '/books', { title: 'Sanditon' })).toEqual(added);
});

test('the mock copies the objects of a test', async () => {
  const mock = await start();
  const book = { id: 1, title: 'Emma' };
  mock.replaceState({ '/books': [book] });
  book.title = 'Sanditon';
  Object.assign((mock.state()['/books'] as object[])[0] ?? {}, book);
  expect(mock.state()).toEqual({ '/books': [{ id: 1, title: 'Emma' }] });
});

test.each<[problem: string, state: MockState, message: RegExp]>([
  ['a resource that its schema does not allow', { '/books': [{ id: 1, title: 7 }] }, /^\/books\[0\]: title must be string$/],
  ['an unknown member', { '/settings': { colour: 'red' } }, /^\/settings: colour is not a member; there are color$/],
  ['no id', { '/books': [{ title: 'Emma' }] }, /^\/books\[0\] has no valid id: set id$/],
  ['an id that is not valid', { '/books': [{ id: 'x', title: 'Emma' }] }, /^\/books\[0\] has no valid id/],
  ['one id twice', { '/books': [{ id: 1 }, { id: 1 }] }, /^\/books\[1\] has the same id as an earlier resource: 1$/],
  ['no object', { '/notes/a': 'text' }, /^\/notes\/a must be an object$/],
  ['an unknown path', { '/films': [] }, /^\/films has no resources that are remembered; there are \/books, /],
  ['several problems', { '/films': [], '/books': [{}] }, /^\/films has.*\n\/books\[0\] has/],
])('a state with %s is an error that says so, and changes nothing', async (_problem, state, message) => {
  const mock = await start();
  const before = mock.state();
  expect(() => {
    mock.replaceState(state);
  }).toThrow(message);
  expect(mock.state()).toEqual(before);
}); // prettier-ignore

test('several mocks in one process are independent of each other, and add no signal handler', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'uncaughtException', 'exit'];
  const listeners = () => signals.map((name) => process.listenerCount(name));
  const before = listeners();
  const [one, other] = [await start(), await start({ variables: { API_TOKENS: 'a-real-token' } })];
  expect(listeners()).toEqual(before);
  expect((await send(other, 'GET', '/books')).status).toBe(401);
  await send(one, 'POST', '/books', { title: 'Sanditon' });
  expect(other.state()).not.toEqual(one.state());
});

test('a mock closes at the end of its scope, and may be closed twice', async () => {
  const mock = await startMock(pathToFileURL(path));
  {
    await using scoped = mock;
    expect((await fetch(`${scoped.url}/books`)).status).toBe(401);
  }
  await expect(fetch(`${mock.url}/books`)).rejects.toThrow('fetch failed');
  await mock.close();
});

test('startMock has the options of the command; an error for another option or value lists the allowed ones', async () => {
  const wrong: object = { limit: 0, seed: 1.5, delay: 'long', data: 'x.json', stateless: true, listsize: 2 };
  const integer = 'must be an integer from';
  await expect(start(wrong)).rejects.toThrow(
    [
      'listsize is not an option; there are data, stateless, limit, seed, listSize, delay, errorRate, replay, proxy, ca, cert, key, insecure, callbacks, callbackHost, allowRefs, config',
      `limit ${integer} 1 to 2147483647, not "0"`,
      'delay must be milliseconds up to 60000, such as 500, or a range such as 100-500, not "long"',
      'data needs the memory: leave out stateless',
      `seed ${integer} 0 to 2147483647, not "1.5"`,
    ].join('\n'),
  );
  const stateless = await start({ stateless: true, listSize: 3, delay: 1, callbacks: true });
  await send(stateless, 'POST', '/books', { title: 'Emma' });
  expect((await send(stateless, 'GET', '/books')).body).toHaveLength(3);
  expect(stateless.state()).toEqual({});
  const failing = await start({ errorRate: 1 });
  expect((await send(failing, 'GET', '/settings')).status).toBe(503);
});

test('a request that is a callback of the mock causes no callbacks', async () => {
  const looping = join(temporaryFolder(), 'looping.yaml');
  const body = '{ content: { application/json: { schema: { const: { title: Emma } } } } }';
  const callback = `{ post: { requestBody: ${body}, responses: { '201': { description: Added. } } } }`;
  const operation = `operationId: addBook\n      security: []\n      callbacks: { added: { '{$url}': ${callback} } }`;
  writeFileSync(looping, DOCUMENT.replace('operationId: addBook', operation));
  const mock = await startMock(looping, { callbacks: true });
  cleanUp(mock.close);
  mock.replaceState({ '/books': [] });
  const count = (): number => (mock.state()['/books'] as readonly unknown[]).length;
  // Each request and its callback add a book.
  for (const added of [2, 4, 6, 8]) {
    expect((await send(mock, 'POST', '/books', { title: 'Emma' })).status).toBe(201);
    await until(count, added);
  }
});

test('a resource is not removed while nested resources are created', async () => {
  const mock = await start({ limit: 3 });
  mock.replaceState({
    '/books': [
      { id: 1, title: 'Emma' },
      { id: 2, title: 'Sanditon' },
    ],
  });
  for (const text of ['a', 'b', 'c']) await send(mock, 'POST', '/books/1/reviews', { text });
  expect(mock.state()).toMatchObject({ '/books': [{ id: 1 }], '/books/1/reviews': [{ text: 'b' }, { text: 'c' }] });
});

test('resources above 50 MB are rejected, and the oldest resources are removed above the total', async () => {
  const mock = await start();
  const long = (length: number): string => 'x'.repeat(length);
  expect(() => {
    mock.replaceState({ '/books': [{ id: 1, title: long(50_000_000) }] });
  }).toThrow('it is larger than 50 MB');
  mock.replaceState({ '/books': [{ id: 1, title: long(49_999_000) }] });
  expect((await send(mock, 'POST', '/books', { title: long(2_000) })).status).toBe(201);
  expect((await send(mock, 'GET', '/books/1')).status).toBe(404);
  expect((await send(mock, 'GET', '/books/2')).status).toBe(200);
});

test('a rejected document is an error with all diagnostics', async () => {
  const broken = join(temporaryFolder(), 'broken.yaml');
  writeFileSync(
    broken,
    DOCUMENT.replace('operationId: addBook', 'operationId: getBook').replace('/schemas/Note', '/x'),
  );
  await expect(startMock(broken)).rejects.toThrow(/broken\.yaml was rejected\n[^]*\$ref[^]*operationId/);
  await expect(startMock(path, { variables: { BODY_LIMIT_BYTES: 'x' } })).rejects.toThrow('BODY_LIMIT_BYTES must be');
});

const deepList = (depth: number): object =>
  depth === 0 ? { type: 'integer' } : { type: 'array', minItems: 30, items: deepList(depth - 1) };
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `p${String(index)}`);
const tree = { $ref: '#/components/schemas/Tree' };
const TOO_LARGE = /too large: up to 200,000 members or 2,000,000 characters can be generated/;

test('GET: the size of responses is limited; if no response fits, 501 with the reason', async () => {
  const cases: readonly (readonly [name: string, schema: object, status: number, body: RegExp])[] = [
    ['a text of 2 GB', { type: 'string', minLength: 2_000_000_000 }, 501, TOO_LARGE],
    ['100 million items', { type: 'array', minItems: 100_000_000 }, 501, TOO_LARGE],
    ['different items', { type: 'array', minItems: 100_000_000, uniqueItems: true }, 501, TOO_LARGE],
    ['lists in lists', deepList(8), 501, TOO_LARGE],
    ['a pattern of repetitions', { type: 'string', pattern: '^((a{1000}){1000}){1000}$' }, 501, TOO_LARGE],
    ['repetitions of nothing', { type: 'string', pattern: '^((){100000}){100000}$' }, 501, TOO_LARGE],
    ['50 million properties', { type: 'object', minProperties: 50_000_000 }, 501, TOO_LARGE],
    ['long names', { type: 'object', minProperties: 9, propertyNames: { minLength: 1_000_000 } }, 501, TOO_LARGE],
    ['long constants', { type: 'array', minItems: 100_000, items: { const: 'x'.repeat(10_000) } }, 501, TOO_LARGE],
    ['a character that does not exist', { type: 'string', pattern: '^[^\\s\\S]$' }, 501, /a value for the schema/],
    [
      'many properties',
      { properties: Object.fromEntries(names(4_000).map((name) => [name, { type: 'string' }])) },
      200,
      /^\{/,
    ],
    ['optional parts', { required: ['a'], properties: { a: { const: 1 }, b: { minLength: 1e9 } } }, 200, /^\{"a":1\}$/],
    ['a text of 1 MB', { type: 'string', minLength: 1_000_000 }, 200, /^"[^"]{1000000}"$/],
    [
      'different integers',
      { minItems: 500, uniqueItems: true, items: { type: 'integer' } },
      200,
      /^\[(?:\d+,){499}\d+\]$/,
    ],
    ['required properties', { required: names(20_000) }, 200, /^\{(?:"p\d+":[^,]+,){19999}"p\d+":[^,]+\}$/],
    ['recursion in a list', tree, 200, /^\{"list":\[/],
  ];
  const Tree = {
    required: ['list'],
    properties: { list: { type: 'array', minItems: 100, items: { anyOf: [tree, { type: 'integer' }] } } },
  };
  const paths = cases.map(([, schema], index) => {
    const content = { 'application/json': { schema } };
    const get = { operationId: `get${String(index)}`, responses: { '200': { description: 'Done.', content } } };
    return [`/${String(index)}`, { get }] as const;
  });
  const info = { title: 'Sizes', version: '1.0.0' };
  const document = { openapi: '3.1.0', info, security: [], paths: Object.fromEntries(paths) };
  const file = join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify({ ...document, components: { schemas: { Tree } } }));
  const mock = await startMock(file);
  cleanUp(mock.close);
  for (const [index, [name, , status, form]] of cases.entries()) {
    const response = await fetch(`${mock.url}/${String(index)}`);
    const body = await response.text();
    expect([name, response.status, form.test(body)]).toEqual([name, status, true]);
  }
});

test('pages of every origin may call the mock, with any header and with cookies', async () => {
  const { url } = await start();
  const origin = 'http://localhost:5173';
  const asked = { 'Access-Control-Request-Method': 'DELETE', 'Access-Control-Request-Headers': 'authorization,x-any' };
  // A page can read the failure of a request to an unknown path only if its preflight is permitted.
  for (const path of ['/books/1', '/nowhere']) {
    const preflight = await fetch(url + path, { method: 'OPTIONS', headers: { Origin: origin, ...asked } });
    expect({ status: preflight.status, ...Object.fromEntries(preflight.headers) }).toMatchObject({
      status: 204,
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'DELETE',
      'access-control-allow-headers': 'authorization,x-any',
      vary: 'Origin',
    });
  }
  const response = await fetch(`${url}/nowhere`, { headers: { Origin: origin } });
  expect(response.status).toBe(404);
  expect(response.headers.get('access-control-allow-origin')).toBe(origin);
});

test('CORS_ORIGINS restricts the pages that may call the mock', async () => {
  const { url } = await start({ variables: { CORS_ORIGINS: 'https://app.example.com' } });
  const headers = { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'DELETE' };
  expect((await fetch(`${url}/books/1`, { method: 'OPTIONS', headers })).status).toBe(403);
});

const CHAIN = Array.from({ length: 400 }, (_, index) => {
  const next = `{ $ref: '#/components/schemas/Part${String((index + 1) % 400)}' }`;
  return `    Part${String(index)}: { type: object, properties: { name: { type: string }, next: ${next} } }`;
});
const CODES = Array.from({ length: 40 }, (_, index) => {
  return `c${String(index)}: { type: string, pattern: '^[A-Z]{1,9}(-[0-9]{1,${String(index + 1)}}){1,3}$' }`;
});

test.each([
  ['compiles the schemas', CHAIN],
  ['prepares the patterns', [`    Part0: { type: object, properties: { ${CODES.join()} } }`]],
])('the mock answers other requests while it %s of a response', async (_name, parts) => {
  const path = join(temporaryFolder(), 'openapi.yaml');
  const document = `
openapi: 3.1.0
info: { title: Parts, version: 1.0.0 }
security: []
paths:
  /parts:
    get:
      operationId: listParts
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses: { '200': { description: Parts., ${list('Part0')} }, '400': { description: Invalid. } }
  /ping: { get: { operationId: ping, responses: { '204': { description: Pong. } } } }
components:
  schemas:
${parts.join('\n')}
`;
  writeFileSync(path, document);
  await using mock = await startMock(path);
  const statusOf = async (target: string): Promise<number> => (await fetch(`${mock.url}${target}`)).status;
  // The engine compiles its own schemas for this request.
  expect([await statusOf('/parts?limit=x'), await statusOf('/ping')]).toEqual([400, 204]);
  const finished: string[] = [];
  const listed = statusOf('/parts').then((status) => finished.push(`parts ${String(status)}`));
  for (let count = 0; count < 3; count += 1) finished.push(`ping ${String(await statusOf('/ping'))}`);
  await listed;
  expect(finished).toEqual(['ping 204', 'ping 204', 'ping 204', 'parts 200']);
});
