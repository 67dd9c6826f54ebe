import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { CHECK_NAMES } from '../src/judgement/checks.ts';
import { checkCommand } from '../src/command.ts';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN, type Defect, type ServerRequest } from './support/reference-server.ts';
import { runHere } from '@contract-first/testing/command.ts';
import type { Outcome } from '@contract-first/testing/service.ts';

/** Writes the document with tags to a temporary folder. */
function createFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  const { paths } = shallowDocument as unknown as { readonly paths: Record<string, Record<string, object>> };
  const tagged = { ...paths, '/notes': { post: { ...paths['/notes']?.['post'], tags: ['texts'], deprecated: true } } };
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify({ ...shallowDocument, paths: tagged }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs the command in a folder that contains the document. */
function command(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runHere(checkCommand, args, folder, env);
}

/** Starts the reference server, and records its requests. */
async function startRecorder(defect: Defect = (request, respond) => respond(request)) {
  const requests: ServerRequest[] = [];
  const url = await startReferenceServer((request, respond) => {
    if (request.url !== '/') requests.push(request); // The first request only tests that the server is reachable.
    return defect(request, respond);
  });
  return { url, requests };
}

/** Checks the selected operations. Returns the paths of the requests. */
async function pathsChecked(...args: readonly string[]): Promise<readonly string[]> {
  const { url, requests } = await startRecorder();
  const folder = createFolder();
  const required = ['openapi.json', '--url', url, '--runs', '1', '--checks', 'unsupported_method'];
  expect(await command(folder, [...required, ...args], { CONTRACT_TOKEN: TOKEN })).toMatchObject({
    code: 0,
    stderr: '',
  });
  return [...new Set(requests.map((request) => request.url.replace(/^\/v1(\/\w+).*/, '$1')))].sort();
}

test.each([
  [['--tokn', 'x'], "unknown option '--tokn'\n(Did you mean --token?)"],
  [['--colour'], "unknown option '--colour'"],
  [['--seed', '--budget', '1'], '--seed needs a value'],
  [['--seed'], "option '--seed <N>' argument missing"],
  [['--url', 'a', '--url', 'b'], '--url may be given once'],
  [['--document', 'two.yaml'], "unknown option '--document'"],
  [['one.yaml', 'two.yaml'], "superfluous argument 'two.yaml'"],
  [['--help=1'], "unknown option '--help=1'\n(Did you mean --help?)"],
])('exit 2 and the problem of the arguments: %j', async (args, message) => {
  const stderr = `error: ${message}\nsee contract-first check --help\n`;
  expect(await command(createFolder(), args)).toEqual({ code: 2, stdout: '', stderr });
});

test.each(['--help', '-h'])('%s prints all options and all checks', async (option) => {
  const { code, stdout } = await command(createFolder(), [option]);
  expect(code).toBe(0);
  for (const check of CHECK_NAMES) expect(stdout).toMatch(new RegExp(`^  ${check} {2,}\\w.+$`, 'm'));
});

test.each([
  ['by operationId', ['--operation', 'writeNote'], ['/notes']],
  ['by several', ['--operation', 'writeNote', '--operation', 'uploadFile'], ['/files', '/notes']],
  ['by path', ['--operation', '/items/{itemId}'], ['/items']],
  ['by a part of the path', ['--operation', '/*es'], ['/files', '/notes']],
  ['by method and path', ['--operation', 'post /*es'], ['/files', '/notes']],
  ['by tag', ['--tag', 'texts'], ['/notes']],
  ['by tag and operationId', ['--tag', 'texts', '--operation', 'uploadFile'], ['/files', '/notes']],
  ['all but a method and a tag', ['--exclude', 'get', '--exclude', 'texts'], ['/files', '/items']],
  ['all but a path and deprecated ones', ['--exclude', '/items*', '--exclude', 'deprecated'], ['/files', '/secrets']],
])('operations are selected: %s', async (_name, args, paths) => {
  expect(await pathsChecked(...args)).toEqual(paths);
});

test.each([
  [
    'operationId',
    ['--operation', 'none', '--operation', 'PUT /notes'],
    'unknown operation none; the document has .*writeNote.*\nunknown operation PUT /notes; .*',
  ],
  ['tag', ['--tag', 'none'], 'unknown tag none; the document has texts'],
  ['expected operation', ['--expect', 'none:409'], 'unknown operation none; .*'],
])('operations are selected: exit 2: unknown %s', async (_name, args, message) => {
  const required = ['openapi.json', '--url', 'http://127.0.0.1:1', '--token', 'x'];
  expect(await command(createFolder(), [...required, ...args])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^${message}\n$`)),
  });
});

test.each([
  [['--checks', 'ignored_auth,not_a_server_error'], ['not_a_server_error']],
  [['--checks', 'ignored_auth'], []],
  [
    ['--exclude-checks', 'not_a_server_error', '--exclude-checks', 'positive_data_acceptance, status_code_conformance'],
    [],
  ],
])('checks are selected: %p', async (args, failing) => {
  const { url } = await startRecorder((request, respond) => {
    const answer = respond(request);
    return answer.status < 300 ? { status: 500, headers: {}, body: '' } : answer;
  });
  const required = ['openapi.json', '--url', url, '--token', TOKEN, '--operation', 'writeNote'];
  const { stdout } = await command(createFolder(), [...required, '--runs', '1', ...args]);
  expect([...stdout.matchAll(/^FAILED (\w+)/gm)].map(([, check]) => check)).toEqual(failing);
});

const required = ['openapi.json', '--runs', '1', '--seed', '1'];

test('--header replaces the documented parameter in every request; values of variables are not printed', async () => {
  const { url, requests } = await startRecorder((request, respond) =>
    request.method === 'PUT' && request.headers['authorization'] === `Bearer ${TOKEN}`
      ? { status: 500, headers: {}, body: 'for tenant-secret' }
      : respond(request),
  );
  const args = [
    '--url',
    url,
    '--operation',
    'putItem',
    '--header',
    'X-Tenant: a-${TENANT}',
    '--header',
    'x-request-id: 7',
  ];
  const { stdout } = await command(createFolder(), [...required, ...args], {
    CONTRACT_TOKEN: TOKEN,
    TENANT: 'tenant-secret',
  });
  expect(requests.every(({ headers }) => headers['x-tenant'] === 'a-tenant-secret')).toBe(true);
  expect(requests.every(({ headers }) => headers['x-request-id'] === '7')).toBe(true);
  expect(stdout).toContain(`-H 'X-Tenant: a-'"$TENANT"`);
  expect(stdout).toContain(`'Authorization: Bearer '"$CONTRACT_TOKEN"`);
  expect(stdout).toContain(`--header 'X-Tenant: a-\${TENANT}' --header 'x-request-id: 7'`);
  expect(stdout).not.toMatch(/tenant-secret|reference-token/);
});

test('--header may carry the credentials; no request without credentials is sent then', async () => {
  const { url, requests } = await startRecorder();
  const args = ['--url', url, '--operation', 'deleteItem', '--header', 'Authorization: Bearer ${SECRET}'];
  const { code } = await command(createFolder(), [...required, ...args], { SECRET: TOKEN });
  expect(code).toBe(0);
  expect(requests.every(({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`)).toBe(true);
});

test('.contract.yaml has the same options; the command line takes precedence', async () => {
  const { url, requests } = await startRecorder();
  const file = `url: ${url}\ndocument: openapi.json\ntoken: \${SECRET}\noperation: [uploadFile]\nruns: 1\nseed: 5\nallow-incomplete: true\nheader:\n  - 'X-A: 1'\n`;
  const folder = createFolder({ '.contract.yaml': file, 'other.yaml': file.replace('uploadFile', 'findItems') });
  const outcome = await command(folder, ['--operation', 'writeNote', '--seed', '6'], { SECRET: TOKEN });
  expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('1 operation, ') });
  expect(outcome.stdout).toContain('(seed 6)');
  const paths = (): ReadonlySet<string> => new Set(requests.map((request) => new URL(request.url, url).pathname));
  expect(paths()).toEqual(new Set(['/v1/notes', '/v1/notes/unknown-to-the-document']));
  expect(requests.every(({ headers }) => headers['x-a'] === '1')).toBe(true);
  requests.length = 0;
  await command(folder, ['--config', 'other.yaml'], { SECRET: TOKEN });
  expect(paths()).toEqual(new Set(['/v1/items']));
});

test('.contract.yaml: exit 2: all problems in the file and on the command line, with their places', async () => {
  const file = 'runs: many\nworker: 2\nchecks: [ignored_auth, nothing]\nallow-incomplete: 1\nurl: [a]\ntoken: ${NO}\n';
  const folder = createFolder({ '.contract.yaml': file });
  const args = ['--expect', 'a:600', '--value', 'tripId', '--header', 'none'];
  const { code, stdout, stderr } = await command(folder, args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^\.contract\.yaml:2:1 worker is not an option; there are url, /),
    '.contract.yaml:4:1 allow-incomplete must be true or false',
    '.contract.yaml:5:1 url must be a text or a number',
    '.contract.yaml:6:1 token: the environment has no NO',
    expect.stringMatching(
      /^\.contract\.yaml:3:1 checks: unknown check "nothing"; there are default, strict, protocol, not_a_server_error, /,
    ),
    `--header must be such as 'X-Tenant: a', not "none"`,
    '--expect must be such as createItem:409,422 or 409, with statuses below 500, not "a:600"',
    '--value must be such as tripId=7 or createBooking:tripId=7, not "tripId"',
    '.contract.yaml:1:1 runs must be an integer from 0 to 2147483647, not "many"',
  ]);
});

test.each([
  ['no YAML', 'a: [', /^\.contract\.yaml:\d+:\d+ /],
  ['no options', '- a', /^\.contract\.yaml must have options by name/],
])('.contract.yaml: exit 2: %s', async (_name, text, message) => {
  const { code, stderr } = await command(createFolder({ '.contract.yaml': text }), []);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('exit 2: an operation got less than the minimum, unless --allow-incomplete is set', async () => {
  const { url } = await startRecorder((request, respond) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    return respond(request);
  });
  const required = ['openapi.json', '--url', url, '--token', TOKEN, '--operation', 'findItems'];
  const check = (...args: readonly string[]): Promise<Outcome> =>
    command(createFolder(), [...required, '--budget', '1', ...args]);
  const stdout = expect.stringMatching(/^incomplete, with less than the minimum of requests: findItems$/m);
  expect(await check()).toMatchObject({ code: 2, stdout });
  expect(await check('--allow-incomplete')).toMatchObject({ code: 0, stdout });
});

test('--expect accepts a further status for valid data', async () => {
  const { url } = await startRecorder((request, respond) => {
    const answer = respond(request);
    return answer.status === 201
      ? { ...answer, status: 415, headers: { 'Content-Type': 'application/json' }, body: '{"error":1,"message":""}' }
      : answer;
  });
  const args = ['openapi.json', '--url', url, '--token', TOKEN, '--operation', 'writeNote', '--runs', '1'];
  expect(await command(createFolder(), args)).toMatchObject({ code: 1 });
  for (const expected of ['415', 'writeNote:415', 'POST /notes:409,415'])
    expect(await command(createFolder(), [...args, '--expect', expected])).toMatchObject({ code: 0 });
});

test('DOCUMENT accepts only http URLs of this machine', async () => {
  const { url } = await startRecorder((request, respond) =>
    request.url === '/openapi.json'
      ? { status: 200, headers: {}, body: JSON.stringify(shallowDocument) }
      : respond(request),
  );
  const check = (document: string) =>
    command(createFolder(), [document, '--url', url, '--token', TOKEN, '--runs', '1', '--checks', 'head_conformance']);
  expect(await check(`${url}/openapi.json`)).toMatchObject({ code: 0, stderr: '' });
  expect(await check('https://example.invalid/a.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('https://example.invalid/a.json is not an http URL of this machine'),
  });
});

test('DOCUMENT accepts a document with methods that Node does not support', async () => {
  const methods = new Set<string | undefined>();
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        methods.add(/^\w+/.exec(bytes.toString())?.[0]);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => void server.close());
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.
  const operation = { responses: { '200': { description: 'Done.' } } };
  const document = {
    openapi: '3.2.0',
    info: { title: 'A', version: '1' },
    security: [],
    paths: { '/a': { additionalOperations: { FOO: operation } } },
  };
  const folder = createFolder({ 'foo.json': JSON.stringify(document) });
  const args = ['foo.json', '--url', url, '--exclude-checks', 'unsupported_method'];
  expect(await command(folder, args)).toMatchObject({ code: 0, stderr: '' });
  expect(methods).toContain('FOO');
});

/** A documented failure. */
function failure(status: number) {
  const body = JSON.stringify({ error: status, message: '' });
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

test.each<[string, string, Defect, RegExp]>([
  [
    'a wrong base path',
    '/v2',
    (request, respond) => respond(request),
    /^no operation was successful: all 3 answer 404: is the base path right\?$/m,
  ],
  [
    'the root as the base path',
    '/',
    (request, respond) => respond(request),
    /: all 3 answer 404: is the base path right\?$/m,
  ],
  [
    'a server that fails',
    '',
    () => failure(503),
    /^no operation was successful: all 3 answer 503: is the server working\?$/m,
  ],
  [
    'a server with one of its operations',
    '',
    (request, respond) => (/^\/v1\/items(?:\?|$)/.test(request.url) ? respond(request) : failure(404)),
    /^only 1 of 3 operations were successful: the others answer 404: is the base path right\?$/m,
  ],
])(
  'a run without enough successful operations exits with 2 and a likely cause: %s',
  async (_name, path, defect, line) => {
    const { url } = await startRecorder(defect);
    const args = [
      'openapi.json',
      '--url',
      url + path,
      '--token',
      TOKEN,
      '--runs',
      '1',
      '--checks',
      'response_schema_conformance',
      ...['readSecret', 'findItems', 'deleteItem'].flatMap((operation) => ['--operation', operation]),
    ];
    const { code, stdout } = await command(createFolder(), args);
    expect([code, stdout]).toEqual([2, expect.stringMatching(line)]);
    expect(await command(createFolder(), [...args, '--allow-incomplete'])).toMatchObject({ code: 0 });
  },
);

test('--value sets a member of an inner object by its path, and an unused value is named', async () => {
  const user = { type: 'object', required: ['email'], properties: { email: { type: 'string' } } };
  const schema = { type: 'object', required: ['user'], properties: { user } };
  const done = { description: 'Done' };
  const login = {
    operationId: 'login',
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 204: done, 404: done },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Users', version: '1.0.0' },
    security: [],
    paths: { '/login': { post: login } },
  };
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const url = await startReferenceServer(({ body }) => {
    const status = body.includes('"anna@example.com"') ? 204 : 404;
    return { status, headers: {}, body: '' };
  });
  const run = (value: string) =>
    command(folder, [
      'openapi.json',
      '--url',
      url,
      '--runs',
      '0',
      '--checks',
      'positive_data_acceptance',
      '--value',
      value,
    ]);
  expect((await run('login:user.email=anna@example.com')).stdout).toMatch(/^checked: [^\n]* 0 failures[^\n]*\n$/);
  expect((await run('login:email=anna@example.com')).stdout).toContain(
    '--value login:email was not used: no valid request has this parameter or member with this value; is it user.email?\n',
  );
});
