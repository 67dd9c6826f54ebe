import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unescape } from 'node:querystring';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { startReferenceServer, type Defect } from './support/reference-server.ts';

const REPORTS = ['junit', 'har', 'ndjson', 'coverage', 'github', 'markdown'];

/** Checks a server with `POST /a`, protected by a security scheme. Returns the output and all reports. */
async function check(scheme: object, token: string, answer: Defect, more: object = {}) {
  const responses = {
    '200': { description: 'Done.', content: { 'application/json': { schema: { type: 'object' } } } },
    '401': { description: 'No.' },
  };
  const content = { 'application/json': { schema: { type: 'object', properties: { a: { type: 'integer' } } } } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Secrets', version: '1' },
    security: [{ scheme: [] }],
    paths: { '/a': { post: { operationId: 'op', requestBody: { content }, responses } } },
    components: { securitySchemes: { scheme } },
    ...more,
  };
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  mkdirSync(join(folder, 'reports'));
  const url = await startReferenceServer(answer);
  const reports = REPORTS.flatMap((kind) => ['--report', `${kind}:reports/${kind}`]);
  const args = ['openapi.json', '--url', url, '--runs', '5', '--seed', '1', ...reports];
  const { stdout, stderr, code } = await runHere(checkCommand, args, folder, { CONTRACT_TOKEN: token });
  const files = readdirSync(join(folder, 'reports')).map((name) => readFileSync(join(folder, 'reports', name), 'utf8'));
  return { code, stdout, stderr, all: [stdout, stderr, ...files].join('\n') };
}

/** Accepts all credentials, and returns them in the response. */
const telling: Defect = ({ headers, url }) => {
  const { authorization = '' } = headers;
  const body = JSON.stringify({ headers, url, decoded: Buffer.from(authorization.slice(6), 'base64').toString() });
  return { status: 200, headers: { 'Content-Type': 'application/json', 'X-Got': authorization }, body };
};

/** Returns the 8-character parts of a secret and its encodings that occur in a text, ignoring case. */
function told(text: string, secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const encodings = [secret, encodeURIComponent(secret), bytes.toString('hex')];
  const base64 = ['', 'user:', 'x'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(before === '' ? 0 : 8),
  );
  const parts = [...encodings, ...base64].flatMap((encoded) =>
    Array.from({ length: Math.max(0, encoded.length - 10) }, (_, at) => encoded.slice(at, at + 8)),
  );
  return parts.filter((part) => text.toLowerCase().includes(part.toLowerCase()));
}

test.each([
  ['a bearer token', { type: 'http', scheme: 'bearer' }, 'Zq7-Rk2mWx9+Lt4/vB8='],
  ['a password', { type: 'http', scheme: 'basic' }, 'Zq7Rk2mWx9Lt4vB8'],
  ['a user and a password', { type: 'http', scheme: 'basic' }, 'anna:Zq7Rk2mWx9Lt4vB8'],
  ['an API key in the header', { type: 'apiKey', in: 'header', name: 'X-Key' }, 'Zq7 Rk2"mWx9\\Lt4'],
  ['an API key in Authorization', { type: 'apiKey', in: 'header', name: 'Authorization' }, 'Bearer Zq7Rk2mWx9Lt4vB8'],
  ['an API key in the query', { type: 'apiKey', in: 'query', name: 'key' }, 'Zq7&Rk2=mWx9 Lt4ü'],
  ['an API key in a cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, 'Zq7Rk2mWx9Lt4vB8'],
])('no output or report contains %s or a part of it, in any case or encoding', async (...args) => {
  const [, scheme, token] = args;
  const { code, stdout, all } = await check(scheme, token, telling);
  expect(code).toBe(1);
  expect(stdout).toContain('FAILED ignored_auth');
  expect(told(all, token)).toEqual([]);
});

test('no output contains a short secret or its variants that the checks send', async () => {
  const accepting: Defect = (request, respond) =>
    /hunt/i.test(JSON.stringify(request.headers)) ? telling(request, respond) : { status: 401, headers: {}, body: '' };
  const { all } = await check({ type: 'http', scheme: 'bearer' }, 'hunter22', accepting);
  expect(all).not.toMatch(/hunter|unter22|huntx/i);
});

test('a short token is redacted only in data, not within names, URLs and sentences', async () => {
  const answer: Defect = ({ url, headers }) => {
    const body = JSON.stringify({ name: 'latest', got: headers.authorization, text: 'a test of testing' });
    return { status: url.startsWith('/a') ? 500 : 404, headers: { 'X-Latest': 'latest' }, body };
  };
  const { stdout, all } = await check({ type: 'http', scheme: 'bearer' }, 'test', answer, {
    paths: { '/a/latest/test': { get: { operationId: 'latest', responses: { '200': { description: 'Done.' } } } } },
  });
  expect(stdout).toMatch(/^FAILED not_a_server_error {2}latest\n {2}the status is 500 for valid data\n/);
  expect(stdout).toMatch(/ 'http:\/\/[^']*\/a\/latest\/test' -H 'Authorization: Bearer '"\$CONTRACT_TOKEN"\n/);
  expect(stdout).toContain('< x-latest: latest\n');
  expect(stdout).toContain(
    '< {"name":"latest","got":"Bearer $CONTRACT_TOKEN","text":"a $CONTRACT_TOKEN of testing"}\n',
  );
  expect(stdout).toMatch(/ {2}repeat: npx contract-first check .* --seed 1 --operation 'latest'\n/);
  expect(all).not.toMatch(/la\$|\$CONTRACT_TOKENing|Bearer test\b/);
});

test.each([
  ['a password', { type: 'http', scheme: 'basic' }, 'Zq7Rk2mWx9Lt4vB8'],
  ['a bearer token', { type: 'http', scheme: 'bearer' }, 'Zq7-Rk2mWx9+Lt4/vB8='],
  ['an API key in the query', { type: 'apiKey', in: 'query', name: 'key' }, 'Zq7&Rk2=mWx9 Lt4ü'],
  ['an API key in a cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, 's%3AZq7Rk2mWx9.Lt4+vB8'],
  ['an API key in a cookie that must be encoded', { type: 'apiKey', in: 'cookie', name: 'sid' }, 'Zq7;Rk2mWx9'],
])('the curl lines of failures send %s in a shell', async (...args) => {
  const [, scheme, token] = args;
  const got = new Set<string>();
  const { stdout } = await check(scheme, token, (request, respond) => {
    got.add(credentialsIn(request.url, request.headers));
    return telling(request, respond);
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('  curl ') && line.includes('CONTRACT_TOKEN'));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    // Prints the arguments instead of sending a request.
    const script = `curl() { printf '%s\\n' "$@"; }; ${line}`;
    const sent = execFileSync('sh', ['-c', script], { env: { ...process.env, CONTRACT_TOKEN: token } }).toString();
    const [, url = ''] = /^(http:.*)$/m.exec(sent) ?? [];
    const [, authorization = ''] = /^Authorization: (.*)$/m.exec(sent) ?? [];
    const [, cookie = ''] = /^Cookie: (.*)$/m.exec(sent) ?? [];
    expect(got).toContain(credentialsIn(url, { authorization, cookie }));
  }
});

/** Returns the credentials of a request, percent-decoded. */
function credentialsIn(url: string, { authorization = '', cookie = '' }: Readonly<Record<string, string>>): string {
  const query = [...new URL(url, 'http://server').searchParams];
  return JSON.stringify([query, authorization, unescape(cookie)]);
}

test('a note says that a token without a colon is a password if there is only Basic authentication', async () => {
  const { stderr } = await check({ type: 'http', scheme: 'basic' }, 'Zq7Rk2mWx9Lt4vB8', telling);
  expect(stderr).toMatch(/^the token has no colon: as Basic credentials, it is the password of the user "user"\n/);
});
