import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashToken } from '../../src/auth/tokens.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { expectError, post } from '@contract-first/testing/answer.ts';
import { AUDIENCE, createKey, inSeconds, ISSUER, signToken, startIssuer } from '@contract-first/testing/issuer.ts';
import { runProcess, startServiceProcess, type Outcome, type ServiceProcess } from '@contract-first/testing/service.ts';

const ANNA = '{"id":1,"name":"Anna"}';
const CHALLENGE = 'Bearer realm="bearerAuth", error="invalid_token"';

/** Creates a guest. */
async function send({ url }: ServiceProcess, token: string): Promise<Response> {
  return fetch(`${url}/guests`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: ANNA,
  });
}

const statusOf = async (service: ServiceProcess, token: string): Promise<number> => (await send(service, token)).status;

const auth = { tokens: [hashToken('alice', 'good')], tokensFile: undefined, jwt: undefined };

test('the handler and the log receive the caller', async () => {
  const callers: unknown[] = [];
  const createGuest = async ({ caller }: { readonly caller: unknown }) => {
    callers.push(caller);
    return { status: 200, body: { name: 'Anna' } };
  };
  const { app, logged } = await createTestApp({ auth, handlers: { createGuest } });
  expect((await post(app, ANNA, { Authorization: 'Bearer good' })).status).toBe(200);
  expect((await post(app, 'null', { Authorization: 'Bearer good' })).status).toBe(400);
  expect((await post(app, ANNA, { Authorization: 'Bearer bad' })).status).toBe(401);
  expect(callers).toEqual([{ name: 'alice', scheme: 'bearerAuth', scopes: 'all' }]);
  expect(logged.map(({ status, caller }) => [status, caller])).toEqual([
    [200, 'alice'],
    [400, 'alice'],
    [401, undefined],
  ]);
});

test('503 with Retry-After while the caller cannot be determined', async () => {
  const jwt = { issuer: 'x', audience: 'x', jwksUrl: new URL('http://127.0.0.1:1/') };
  const { app } = await createTestApp({ auth: { ...auth, jwt } });
  const token = ['{"alg":"ES256"}', '{}', 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const response = await post(app, ANNA, { Authorization: `Bearer ${token}` });
  expectError(response, 503, /^The service cannot answer this request now; try again$/);
  expect(response.headers['retry-after']).toBe('1');
});

test('tokens and their names: the log has the name or the position of a token, never its value', async () => {
  const path = join(temporaryFolder(), 'tokens');
  writeFileSync(path, '# comment\r\n\r\n  nightly : third-secret \r\nfourth-secret==\n');
  const service = await startServiceProcess({
    NODE_ENV: 'production', // Only the log is printed.
    DATABASE_URL: temporaryDatabase(),
    API_TOKENS: 'first-secret, ci@example:second-secret',
    API_TOKENS_FILE: path,
  });
  for (const token of ['first-secret', 'second-secret', 'third-secret', 'fourth-secret==', 'no-secret'])
    await send(service, token);
  service.process.kill();
  const { stdout, stderr } = await service.outcome;
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(lines.filter(({ status }) => status !== undefined).map(({ status, caller }) => [status, caller])).toEqual([
    [200, 'API_TOKENS:1'],
    [200, 'ci@example'],
    [200, 'nightly'],
    [200, 'API_TOKENS_FILE:4'],
    [401, undefined],
  ]);
  expect(stdout + stderr).not.toContain('secret');
});

test('JSON Web Tokens and the service: both kinds of tokens are accepted; the log has sub, but never a token', async () => {
  const key = await createKey('ES256', 'one');
  const issuer = await startIssuer(key);
  const service = await startServiceProcess({ NODE_ENV: 'production', ...issuer.env });
  const good = await signToken(key, { sub: 'auth0|7\n"' });
  const bad = await signToken(key, { exp: inSeconds(-60) });
  expect(await statusOf(service, good)).toBe(200);
  expect(await statusOf(service, service.token)).toBe(200);
  const refused = await send(service, bad);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, CHALLENGE]);
  expect(await refused.text()).not.toContain(bad);
  service.process.kill();
  const { code, stdout, stderr } = await service.outcome;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('"caller":"auth0|7\\n\\""');
  for (const token of [good, bad, service.token])
    for (const part of token.split('.')) expect(stdout).not.toContain(part);
});

test('JSON Web Tokens and the service: 503 with Retry-After while no keys are known; opaque tokens are accepted', async () => {
  const issuer = await startIssuer();
  issuer.stop();
  const service = await startServiceProcess({ ...issuer.env });
  const response = await send(service, await signToken(await createKey('ES256', 'one')));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toEqual({ error: 503, message: expect.any(String) });
  expect(await statusOf(service, service.token)).toBe(200);
  expect(await statusOf(service, 'nope')).toBe(401);
});

const NOT_HTTPS = 'JWT_JWKS_URL must be an https URL without a password; http is for localhost only';
const JWT = { JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['JWT_* in part', { JWT_ISSUER: 'i' }, missing('JWT_AUDIENCE', 'JWT_JWKS_URL')('JWT_ISSUER')],
  [
    'no issuer',
    { JWT_AUDIENCE: 'a', JWT_JWKS_URL: 'https://a' },
    missing('JWT_ISSUER')('JWT_AUDIENCE and JWT_JWKS_URL'),
  ],
  [
    'empty',
    { JWT_ISSUER: '', JWT_AUDIENCE: ' ', JWT_JWKS_URL: '' },
    empty('JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'),
  ],
  ['http', { ...JWT, JWT_JWKS_URL: 'http://secret.example' }, [NOT_HTTPS]],
  ['http to a host like localhost', { ...JWT, JWT_JWKS_URL: 'http://localhost.secret.example' }, [NOT_HTTPS]],
  ['a password', { ...JWT, JWT_JWKS_URL: 'https://u:secret@issuer.example' }, [NOT_HTTPS]],
  ['no URL', { ...JWT, JWT_JWKS_URL: 'secret' }, [NOT_HTTPS]],
  ['another scheme', { ...JWT, JWT_JWKS_URL: 'file:///secret' }, [NOT_HTTPS]],
  ['no tokens file', { API_TOKENS_FILE: '/nowhere/secret' }, ['API_TOKENS_FILE: the file cannot be read (ENOENT)']],
  [
    'a token that is too long',
    { API_TOKENS: 'x'.repeat(8_193) },
    ['API_TOKENS: token 1 of 1 is longer than 8192 characters'],
  ],
  [
    'a token that is too short',
    { API_TOKENS: 'ci:1234567,12345678' },
    ['API_TOKENS: token 1 of 2 is shorter than 8 characters'],
  ],
])('the start is refused: %s', async (_name, env, problems) => {
  expect(await start(env)).toEqual({ code: 1, stdout: '', stderr: lines(problems) });
});

test.each<[string, string | Buffer, readonly string[]]>([
  [
    'every problem',
    'good-token\nmy secret\nx:\nsecret1\nincomplete',
    [
      'the token in line 2 contains a character not allowed in bearer tokens (RFC 6750, 2.1)',
      'the token in line 3 is empty',
      'the token in line 4 is shorter than 8 characters',
      'the last line must end with a newline, or the file may be incomplete; ' +
        'use kubectl create secret with --from-file, since --from-literal adds no newline',
    ],
  ],
  ['nothing', '', ['the file contains no token']],
  [
    'bytes',
    Buffer.from([0xff, 0x00, 0x01, 0x0a]),
    ['the token in line 1 contains a character not allowed in bearer tokens (RFC 6750, 2.1)'],
  ],
  ['1 MiB', '#'.repeat(1_048_576) + '\n', ['the file must not be larger than 1048576 bytes']],
])(
  'the start is refused for a tokens file with %s, and other problems are also listed',
  async (_name, content, problems) => {
    const path = join(temporaryFolder(), 'tokens');
    writeFileSync(path, content);
    const stderr = lines([
      'API_TOKENS: token 1 of 3 must have a name of 1 to 64 letters, digits and characters of -._@/+',
      'API_TOKENS: token 2 of 3 is empty',
      'API_TOKENS: token 3 of 3 contains a character not allowed in bearer tokens (RFC 6750, 2.1)',
      ...problems.map((problem) => `API_TOKENS_FILE: ${problem}`),
    ]);
    const outcome = await start({ API_TOKENS: 'a b:a-secret,x:,y:the secret', API_TOKENS_FILE: path });
    expect(outcome).toEqual({ code: 1, stdout: '', stderr });
  },
);

test.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://localhost:1'])(
  'the start is not refused for %s, nor because nothing is there',
  async (url) => {
    const service = await startServiceProcess({ ...JWT, JWT_JWKS_URL: url });
    expect(await statusOf(service, service.token)).toBe(200);
  },
);

async function start(env: Readonly<Record<string, string>>): Promise<Outcome> {
  return runProcess('node', ['src/main.ts'], { PORT: '0', DATABASE_URL: temporaryDatabase(), ...env });
}

function lines(problems: readonly string[]): string {
  return problems.map((problem) => `${problem}\n`).join('');
}

function missing(...names: readonly string[]): (given: string) => string[] {
  return (given) => names.map((name) => `${name} must be set when ${given} is`);
}

function empty(...names: readonly string[]): string[] {
  return names.map((name) => `${name} must not be empty`);
}
