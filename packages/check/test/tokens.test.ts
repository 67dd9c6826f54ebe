import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { startReferenceServer } from './support/reference-server.ts';
import { nthToken, SECRET, startTokenServer, tokenDocument, type TokenServerOptions } from './support/token-server.ts';

type Given = { readonly env?: Readonly<Record<string, string>>; readonly file?: string };

/** Checks the token service. Returns the output and the accepted requests. */
async function check(server: TokenServerOptions, args: readonly string[], { env = {}, file }: Given = {}) {
  const { url, asked, requests } = await startTokenServer(server);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(tokenDocument));
  if (file !== undefined) writeFileSync(join(folder, '.contract.yaml'), file);
  const report = ['--report', 'har:all.har', '--report', 'ndjson:all.ndjson'];
  const all = ['openapi.json', '--url', url, '--seed', '1', '--runs', '5', ...report, ...args];
  const { code, stdout, stderr } = await runHere(checkCommand, all, folder, env);
  const files = readdirSync(folder).filter((name) => name.startsWith('all.'));
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  return { code, stdout, stderr, asked, requests, written: [stdout, stderr, ...texts].join('\n') };
}

const OAUTH = ['--operation', 'getA', '--operation', 'getB'];
const CLIENT = ['--client', `my-client:${SECRET}`];

test('--client fetches a token from tokenUrl before the first request, with the scopes of the operations', async () => {
  const { code, stdout, asked } = await check({}, [...OAUTH, ...CLIENT]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^checked: 2 operations, \d+ requests, 0 failures/m)]);
  expect(asked.map(({ method, headers, body }) => [method, headers['authorization'], body.toString()])).toEqual([
    [
      'POST',
      `Basic ${Buffer.from(`my-client:${SECRET}`).toString('base64')}`,
      'grant_type=client_credentials&scope=read+write',
    ],
  ]);
});

test.each([
  ['one worker', '1'],
  ['several workers', '2'],
])('an expired token is renewed, so that no valid request fails: %s', async (_name, workers) => {
  const { code, asked, written } = await check({ uses: 15 }, [...OAUTH, ...CLIENT, '--workers', workers]);
  expect(code).toBe(0);
  expect(asked.length).toBeGreaterThan(1);
  for (const [count] of asked.entries()) expect(written).not.toContain(nthToken(count + 1));
});

test('an operation that always answers 401 does not renew the token repeatedly', async () => {
  const { code, stdout, asked, requests } = await check({ refusing: ['/b'] }, [...OAUTH, ...CLIENT, '--workers', '2']);
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAILED positive_data_acceptance  getB')]);
  expect(requests.filter(({ url }) => url === '/b').length).toBeGreaterThan(20);
  expect(asked.length).toBeLessThan(8);
});

test('exit 2: the token endpoint gives no token', async () => {
  const { code, written, requests, stderr } = await check({ grants: 0 }, [...OAUTH, ...CLIENT]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/token gives no token: status 400 \(invalid_client\)\n$/);
  expect(written).not.toContain(SECRET);
  expect(requests).toEqual([]);
});

test('a token that cannot be renewed is noted, and the 401 is reported', async () => {
  const { code, stdout, asked } = await check({ grants: 1, uses: 20 }, [...OAUTH, ...CLIENT]);
  expect([code, asked.length]).toEqual([1, 2]);
  expect(stdout).toContain('the token was not fetched again: http://127.0.0.1:');
});

test('--token-command provides the token, which is not printed', async () => {
  const command = `printf '%s\\n' ${nthToken(0)}`;
  const args = ['--operation', 'getA', '--token-command', command];
  const { code, written, stdout } = await check({ refusing: ['/a'] }, args);
  expect(code).toBe(1);
  expect(stdout).toContain(`-H 'Authorization: Bearer '"$TOKEN"`);
  expect(written).not.toContain(nthToken(0));
});

test('--token-command runs again when its token has expired', async () => {
  const folder = temporaryFolder();
  const count = join(folder, 'count');
  const { url, asked, requests } = await startTokenServer({ uses: 15 });
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(tokenDocument));
  const fetching = `fetch('${url}/token').then((r) => r.json()).then((t) => console.log(t.access_token))`;
  const command = `echo run >>'${count}'; '${process.execPath}' -e "${fetching}"`;
  const args = ['openapi.json', '--url', url, '--seed', '1', '--runs', '5', ...OAUTH, '--token-command', command];
  const { code } = await runHere(checkCommand, args, folder, {});
  expect(code).toBe(0);
  expect(readFileSync(count, 'utf8').trim().split('\n').length).toBe(asked.length);
  expect(asked.length).toBeGreaterThan(1);
  expect(requests.length).toBeGreaterThan(30);
});

test.each([
  ['fails', 'exit 3', '--token-command failed: exit code 3'],
  ['prints nothing', 'true', '--token-command must print a token: one line of ASCII without spaces'],
])('exit 2: the command %s', async (_name, command, message) => {
  const { code, stderr, requests } = await check({}, [...OAUTH, '--token-command', command]);
  expect([code, stderr, requests]).toEqual([2, `${message}\n`, []]);
});

test.each<[string, readonly string[], Given]>([
  ['the command line', ['--credential', 'oauth=$' + '{MY_TOKEN}', '--credential', 'apiKey=key-of-anna'], {}],
  ['the file', [], { file: 'credential:\n  oauth: $' + '{MY_TOKEN}\n  apiKey: key-of-anna\n' }],
  ['the token of all others', ['--token', '$' + '{MY_TOKEN}', '--credential', 'apiKey=key-of-anna'], {}],
])('each security scheme has its own credentials: %s', async (_name, args, given) => {
  const token = nthToken(0);
  const server = { refusing: ['/key'] };
  const { code, stdout, written, requests } = await check(server, args, { ...given, env: { MY_TOKEN: token } });
  expect(code).toBe(1);
  const sentTo = (path: string, key: string | undefined, bearer: string | undefined): boolean =>
    requests.some(
      ({ url, headers }) => url === path && headers['x-key'] === key && headers['authorization'] === bearer,
    );
  expect(sentTo('/key', 'key-of-anna', undefined)).toBe(true);
  expect(sentTo('/a', undefined, `Bearer ${token}`)).toBe(true);
  expect(sentTo('/both', 'key-of-anna', `Bearer ${token}`)).toBe(true);
  expect(sentTo('/both', 'key-of-anna', undefined)).toBe(true); // Without one of the credentials.
  expect(stdout).toContain(`-H 'X-Key: '"$TOKEN_API_KEY"`);
  expect(written).not.toContain('key-of-anna');
  expect(written).not.toContain(token);
});

test('two secrets with the same variable name are both redacted', async () => {
  const args = ['--token', 'Zq7Rk2mWx9', '--header', 'X-Trace: $' + '{TOKEN}', '--operation', 'getA'];
  const { code, stdout, written } = await check({}, args, { env: { TOKEN: 'Lt4vB8nYc3' } });
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAILED')]);
  expect(written).not.toMatch(/Zq7Rk2mWx9|Lt4vB8nYc3/);
});

test('an operation is checked with the first alternative whose credentials are given', async () => {
  const args = ['--operation', 'getEither', '--operation', 'getKey', '--credential', 'apiKey=key-of-anna'];
  const { code, stdout } = await check({}, args);
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 failures')]);
});

test.each([
  [
    ['--credential', 'apiKey=x'],
    'getA and 2 other operations need credentials: --credential for oauth or oauth and apiKey, or --token for all; --allow-incomplete checks the others\n',
  ],
  [['--credential', 'apiKeys=x'], 'unknown security scheme apiKeys; the document has oauth, apiKey\n'],
  [
    ['--credential', 'apiKey=a', '--credential', 'apiKey=b', '--credential', 'apiKey=c'],
    '--credential: apiKey may be given twice, for two users\n',
  ],
  [['--credential', 'apiKey'], '--credential must be such as apiKey=abc, with the name of a security scheme\n'],
  [
    ['--token', '', '--other-token', ''],
    '--token is empty: is the variable set?\n--other-token is empty: is the variable set?\n',
  ],
  [['--client', 'abc'], '--client must be such as my-client:secret\n'],
  [['--token', 'x', '--token-command', 'x'], '--token-command: the token is given by --token as well; leave one out\n'],
])('exit 2: wrong credentials %p', async (args, message) => {
  const { code, stderr } = await check({}, args);
  expect([code, stderr]).toEqual([2, message]);
});

test.each([
  ['a user and a password: Basic', 'anna:Zq7Rk2mWx9', { authorization: `Basic ${btoa('anna:Zq7Rk2mWx9')}` }],
  ['a session as the server has set it: the cookie', 's%3AZq7Rk2.mWx9+a', { cookie: 'sid=s%3AZq7Rk2.mWx9+a' }],
])('the token is used for the `security` alternative that it fits: %s', async (...args) => {
  const [, token, expected] = args;
  const document = {
    ...tokenDocument,
    paths: {
      '/a': {
        get: {
          operationId: 'getA',
          security: [{ session: [] }, { basic: [] }],
          responses: { 200: { description: 'Done' } },
        },
      },
    },
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  };
  const sent: unknown[] = [];
  const url = await startReferenceServer(({ headers: { authorization, cookie } }) => {
    sent.push({ ...(authorization !== undefined && { authorization }), ...(cookie !== undefined && { cookie }) });
    return { status: 200, headers: {}, body: '' };
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const options = ['--checks', 'positive_data_acceptance', '--runs', '2', '--token', token];
  const { code, stdout } = await runHere(checkCommand, ['openapi.json', '--url', url, ...options], folder);
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 failures')]);
  const others = sent
    .slice(1)
    .filter((one) => JSON.stringify(one).toLowerCase() !== JSON.stringify(expected).toLowerCase());
  expect([sent.length > 3, others]).toEqual([true, []]);
});
