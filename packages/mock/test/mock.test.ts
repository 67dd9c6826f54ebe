import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { mockCommand } from '../src/command.ts';
import { startMock, type Mock } from '../src/start-mock.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getThing
      security: [{ token: [] }, { key: [] }, { password: [] }]
      responses:
        '202': { description: Later. }
        '200':
          description: A thing.
          headers:
            X-Count: { required: true, schema: { type: integer, minimum: 7, maximum: 9 } }
            X-Page: { schema: { type: string }, example: first }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
              examples:
                wrong: { value: { name: 7 } }
                red: { value: { name: Red } }
                blue: { $ref: '#/components/examples/blue' }
            application/xml: { schema: { $ref: '#/components/schemas/Thing' } }
            text/csv: { schema: { type: string }, example: "name\\r\\nRed\\r\\n" }
            text/event-stream: { schema: { $ref: '#/components/schemas/Thing' } }
            application/x-ndjson: { schema: { $ref: '#/components/schemas/Thing' } }
            image/*: { schema: { type: string, format: binary } }
        '404': { $ref: '#/components/responses/Problem' }
        '409': { description: Conflict., content: { application/json: { example: { code: 7, reason: Taken } } } }
        4XX: { $ref: '#/components/responses/Problem' }
  /generated:
    post:
      operationId: generate
      requestBody: { content: { application/json: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } } }
      responses:
        '201': { description: Made., content: { application/json: { schema: { $ref: '#/components/schemas/Made' } } } }
        default: { $ref: '#/components/responses/Problem' }
  /versions:
    get:
      operationId: listVersions
      responses:
        '200':
          description: Versions.
          content: { application/json;v=1: { example: one }, application/json;v=2: { example: two } }
        '404': { description: None., content: { application/json: {}, text/plain: {} } }
        '406': { description: No other media type. }
components:
  securitySchemes:
    token: { type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://example.com', scopes: {} } } }
    key: { type: apiKey, in: query, name: key }
    password: { type: http, scheme: basic }
  examples: { blue: { value: { name: Blue } } }
  responses:
    Problem:
      description: A problem.
      content:
        application/json:
          schema:
            type: object
            required: [code, reason, ticket]
            properties: { code: { type: integer }, reason: { type: string }, ticket: { type: string, pattern: '^T-[0-9]{3}$' } }
  schemas:
    Thing: { type: object, required: [name], properties: { name: { type: string } } }
    Made:
      type: object
      required: [id, kind, pattern, big, parent]
      unevaluatedProperties: false
      allOf: [{ properties: { id: { type: string, format: uuid } } }]
      properties:
        kind: { enum: [a, b] }
        pattern: { type: string, pattern: '^[A-Z]{3}\\-[0-9]+$' }
        big: { type: integer, format: int64, minimum: 4611686018427387904 }
        color: { type: string, examples: [7, green] }
        secret: { type: string, writeOnly: true }
        parent: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Made' }] }
`;

const folder = mkdtempSync(join(tmpdir(), 'mock-'));
const documentPath = join(folder, 'things.yaml');
const mocks: ChildProcess[] = [];
afterAll(() => {
  for (const mock of mocks) mock.kill('SIGKILL'); // A graceful end takes longer than Jest waits.
  rmSync(folder, { recursive: true });
});

/** Starts the mock. Returns its URL, its output and its process. */
async function start(args: readonly string[]) {
  writeFileSync(documentPath, DOCUMENT);
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !['API_TOKENS', 'NODE_OPTIONS'].includes(name)),
  );
  const mock = spawn(process.execPath, [join(ROOT, 'packages/cli/bin.js'), 'mock', ...args], {
    cwd: folder, // Without an .env file.
    env: { ...inherited, PORT: '0', OPS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  mocks.push(mock);
  let output = '';
  mock.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [{ url }] = (await once(mock, 'message')) as [{ readonly url: string }]; // src/engine/process/run.ts sends it.
  return { url, mock, output: () => output };
}

/** Starts the mock in this process, until the test ends. */
async function startHere(variables: Readonly<Record<string, string>> = {}): Promise<Mock> {
  const mock = await startMock(documentPath, { variables });
  cleanUp(mock.close);
  return mock;
}

/** Runs the command `mock` with arguments for which it ends. */
const runMock = async (args: readonly string[]): Promise<number> => (await mockCommand(args)) ?? 0;

let url: string;
beforeAll(async () => {
  ({ url } = await start([documentPath]));
});

const bearer = { Authorization: 'Bearer any.token-at_all' };
async function get(path: string, headers: Readonly<Record<string, string>> = {}, base = url) {
  const response = await fetch(`${base}${path}`, { headers: { ...bearer, ...headers } });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.endsWith('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : text) as unknown,
  };
}
async function post(headers: Readonly<Record<string, string>> = {}, n: unknown = 1, base = url) {
  const init = {
    method: 'POST',
    body: JSON.stringify({ n }),
    headers: { 'Content-Type': 'application/json', ...headers },
  };
  const response = await fetch(`${base}/generated`, init);
  return { status: response.status, text: await response.text() };
}

test('npm run mock responds with the lowest documented 2xx, the first valid example and valid headers', async () => {
  const { status, body, headers } = await get('/things/1');
  expect([status, body]).toEqual([200, { name: 'Red' }]);
  expect(headers.get('x-count')).toMatch(/^[789]$/);
  expect(headers.get('x-page')).toBe('first');
});

test('npm run mock responds with valid generated values, deterministically for each request', async () => {
  const { status, text } = await post();
  expect(status).toBe(201);
  expect(text).toMatch(/"big":\d{19}[,}]/);
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(Object.keys(body)).not.toContain('secret');
  expect(body).toMatchObject({ id: expect.stringMatching(/^[\da-f-]{36}$/), color: 'green' });
  expect(body['pattern']).toMatch(/^[A-Z]{3}-[0-9]+$/);
  expect(await post()).toEqual({ status, text });
});

test('npm run mock responds with different values to different requests for dynamic values', async () => {
  const dynamic = { Prefer: 'dynamic=true' };
  const [one, two] = [await post(dynamic, 1), await post(dynamic, 2)];
  expect(one.text).not.toBe(two.text);
  expect((await post(dynamic, 1)).text).toBe(one.text);
  expect((await get('/things/1', dynamic)).body).not.toEqual({ name: 'Red' });
});

test('npm run mock responds with values that depend on the seed', async () => {
  const [same, other] = [await startHere(), await start([documentPath, '--seed', '2'])];
  await get('/things/1', {}, same.url); // The order of requests does not matter.
  const { text } = await post();
  expect((await post({}, 1, same.url)).text).toBe(text);
  expect((await post({}, 1, other.url)).text).not.toBe(text);
});

test('npm run mock responds with an accepted media type', async () => {
  const xml = await get('/things/1', { Accept: 'application/json;q=0.1, application/xml' });
  expect([xml.headers.get('content-type'), xml.text]).toEqual(['application/xml', expect.stringContaining('<name>')]);
  expect((await get('/things/1', { Accept: 'text/*' })).text).toBe('name\r\nRed\r\n');
  const events = await get('/things/1', { Accept: 'text/event-stream' });
  expect(events.text).toMatch(/^data: \{"name":.*\}\n\n$/);
  expect((await get('/things/1', { Accept: 'application/x-ndjson' })).text).toMatch(/^\{"name":.*\}\n$/);
  const image = await get('/things/1', { Accept: 'image/webp' });
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp']);
  expect(image.text).toMatch(/^RIFF.*WEBP/s);
  expect((await get('/versions', { Accept: 'text/html, application/json; V="2"; q=0.5' })).text).toBe('"two"');
  const other = await get('/things/1', { Accept: 'font/woff' });
  expect([other.headers.get('content-type'), other.headers.get('vary')]).toEqual([
    'application/json',
    'Accept, Origin',
  ]);
  expect((await get('/versions', { Accept: 'application/json;v=1;q=0, text/csv' })).status).toBe(406);
  expect((await get('/versions', { Accept: 'application/json;v=2', Prefer: 'code=404' })).status).toBe(404);
});

test.each([
  ['code=404', 404, expect.objectContaining({ code: 404, reason: 'Not Found' })],
  ['code=418', 418, expect.objectContaining({ code: 418, reason: "I'm a Teapot" })],
  ['code=409', 409, { code: 7, reason: 'Taken' }],
  ['code=202', 202, ''],
  ['example="blue"', 200, { name: 'Blue' }],
  ['respond-async, code=200; example=blue, dynamic=false', 200, { name: 'Blue' }],
])('the client asks for a response: Prefer: %s', async (prefer, status, body) => {
  const received = await get('/things/1', { Prefer: prefer });
  expect([received.status, received.body]).toEqual([status, body]);
  expect(received.headers.get('preference-applied')).toContain(prefer.split(/[,;] /).at(-1));
});

test('the client asks for a response by query parameters', async () => {
  expect((await get('/things/1?__example=blue')).body).toEqual({ name: 'Blue' });
  expect((await get('/things/1?__code=404')).status).toBe(404);
});

test.each([
  ['code=500', /^code=500 is not documented: send one of 200, 202, 404, 409, 4XX$/],
  ['example=green', /^example=green is not a valid example of this response: send one of red, blue$/],
  ['example=wrong', /send one of red, blue$/],
])('the client asks for a response: 400 to Prefer: %s, with the names that exist', async (prefer, reason) => {
  const { status, body } = await get('/things/1', { Prefer: prefer });
  expect([status, body]).toEqual([400, expect.objectContaining({ reason: expect.stringMatching(reason) })]);
});

test.each([
  ['a token', '/things/1', bearer, 200],
  ['an API key', '/things/1?key=any', { Authorization: '' }, 200],
  ['a password', '/things/1', { Authorization: `Basic ${btoa('user:password')}` }, 200],
  ['a password without a user', '/things/1', { Authorization: `Basic ${btoa('password')}` }, 401],
  ['no credentials', '/things/1', { Authorization: '' }, 401],
])('the mock behaves like a service: %s', async (_name, path, headers, status) => {
  expect((await get(path, headers)).status).toBe(status);
});

test('the mock behaves like a service: its own failures are valid, with status and message', async () => {
  const problem = (code: number, reason: RegExp) => ({
    code,
    reason: expect.stringMatching(reason),
    ticket: expect.stringMatching(/^T-\d{3}$/),
  });
  expect((await get('/things/x')).body).toEqual(problem(400, /id must be integer/));
  expect((await get('/nowhere')).body).toEqual(problem(404, /does not exist/));
  expect(JSON.parse((await post({}, 'x')).text)).toEqual(problem(400, /^body\/n must be integer$/));
  expect(JSON.parse((await post({ 'Content-Type': 'text/plain' })).text)).toEqual(problem(415, /application\/json/));
});

test('the mock behaves like a service: configured tokens are checked', async () => {
  const { url } = await startHere({ API_TOKENS: 'a-real-token' });
  expect((await get('/things/1', {}, url)).status).toBe(401);
  expect((await get('/things/1', { Authorization: 'Bearer a-real-token' }, url)).status).toBe(200);
  const basic = (pair: string) => get('/things/1', { Authorization: `Basic ${btoa(pair)}` }, url);
  expect([(await basic('user:a-real-token')).status, (await basic('user:another')).status]).toEqual([200, 401]);
});

test('the banner has no database and a command that works, /openapi.yaml is the document, and Ctrl-C ends it with 0', async () => {
  const { url, mock, output } = await start([documentPath]);
  await until(() => /^\nThings {8}http:[^]*\nTry it:\n\ncurl .*\n/.test(output()), true);
  expect(output()).not.toContain('Database');
  const [command = ''] = /^curl .*$/m.exec(output()) ?? [];
  const { stdout } = await runProcess('sh', ['-c', `${command} --silent --write-out ' %{http_code}'`]);
  expect(stdout).toMatch(/ 2\d\d$/);
  expect((await get('/openapi.yaml', {}, url)).text).toBe(DOCUMENT);
  mock.kill('SIGINT');
  expect(await once(mock, 'exit')).toEqual([0, null]);
});

test('exit 2 and the problems of a document that is rejected, or of the arguments', async () => {
  const path = join(folder, 'broken.yaml');
  writeFileSync(path, DOCUMENT.replace('operationId: generate', 'operationId: getThing'));
  const { code, stderr } = await runHere(runMock, [path], folder);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/error: [^]*operationId[^]*was rejected\n$/)]);
  const { stderr: mistakes } = await runHere(runMock, ['--seed', 'x'], folder);
  expect(mistakes).toContain('--seed must be an integer');
});

test('exit 2 and one line if the port is in use', async () => {
  const { host, port } = new URL(url);
  const { code, stderr } = await runProcess('contract-first', ['mock', documentPath, '--port', port]);
  expect([code, stderr.split('\n').slice(-2)]).toEqual([2, [`cannot listen on ${host}: the port is in use`, '']]);
});
