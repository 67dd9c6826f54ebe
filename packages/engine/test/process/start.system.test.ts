import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanUp, temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { openRawConnection, guestRequest } from '@contract-first/testing/connection.ts';
import { generateHere } from '@contract-first/testing/command.ts';
import { copyProject } from '@contract-first/testing/project.ts';
import {
  APPLICATIONS,
  FIXTURE,
  ROOT,
  runProcess,
  startServiceProcess,
  type ServiceProcess,
} from '@contract-first/testing/service.ts';

// 404, since no guest exists yet.
const ACCEPTED = / (?:2\d\d|404)$/;

/** Runs the curl line of the banner. Returns the body and the status of the response. */
async function runCurlLine({ output }: ServiceProcess, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const curl = /^curl .*$/m.exec(output())?.[0] ?? '';
  return (await runProcess('sh', ['-c', `${curl} --silent --write-out ' %{http_code}'`], env)).stdout;
}

test.each(['sh', 'bash'])(
  'npm start without configuration prints a curl line; SIGTERM to npm stops the service under %s',
  async (shell) => {
    const npm = ['npm', 'start', '--silent', `--script-shell=${shell}`];
    const service = await startServiceProcess({}, ['env', '-u', 'API_TOKENS', ...npm]);
    expect(await runCurlLine(service)).toMatch(ACCEPTED);

    service.process.kill('SIGTERM');
    expect(await service.outcome).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(service.url)).rejects.toThrow();
  },
);

test('npm start reads .env before it loads the application; .env does not override variables', async () => {
  const { folder, read, write } = copyProject();
  write('.env', 'GREETING=of the file\nLOG_LEVEL=loud\n');
  write('src/service.ts', `console.log('greeting', process.env['GREETING']);\n${read('src/service.ts')}`);
  expect(await runProcess('node', ['src/main.ts'], {}, folder)).toEqual({
    code: 1,
    stdout: 'greeting of the file\n',
    stderr: 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"\n',
  });
  const service = await startServiceProcess({ GREETING: 'of the shell', LOG_LEVEL: 'silent' }, undefined, folder);
  expect(service.output()).toMatch(/^greeting of the shell\n/);
});

test('npm start uses the compile cache, and starts even if it is not writable', async () => {
  const folder = temporaryFolder();
  for (const name of ['src', 'generated']) cpSync(join(FIXTURE, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((name) => !name.startsWith('.'))) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const cache = join(folder, 'node_modules/.cache');
  const command = ['env', '-u', 'NODE_COMPILE_CACHE', 'node', 'src/main.ts'];
  const startAndStop = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    const service = await startServiceProcess({ DOCS: 'off' }, command, folder);
    const connection = await openRawConnection(service.url);
    connection.write(guestRequest(service.token, '{"id":1,"name":"Anna"}'));
    expect(await connection.receive('{"name":"Anna"}')).toMatch(/^HTTP\/1\.1 200 OK/);
    service.process.kill(signal);
    await service.outcome;
  };

  await startAndStop('SIGKILL');
  expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(100);
  await startAndStop('SIGTERM'); // The writer thread uses the same folder.
  const folders = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name)).toEqual(['node', expect.stringMatching(/^v\d/)]);
  rmSync(cache, { recursive: true });
  writeFileSync(cache, 'no folder');
  await startAndStop('SIGTERM');
});

test('npm start prints a curl line for configured tokens, with $TOKEN in their place', async () => {
  const service = await startServiceProcess({ NODE_ENV: 'development' });
  expect(service.output()).toMatch(/^Token +as configured; set TOKEN to one of them for the command below$/m);
  expect(await runCurlLine(service, { TOKEN: service.token })).toMatch(ACCEPTED);
});

test('npm start in production prints only the log', async () => {
  const service = await startServiceProcess({ NODE_ENV: 'production' });
  expect(JSON.parse(service.output())).toMatchObject({ msg: 'listening', url: service.url, opsUrl: service.opsUrl });
});

test('npm start never prints configured tokens', async () => {
  const service = await startServiceProcess({ API_TOKENS: 'one-secret,two-secret' });
  for (const token of ['one-secret', 'two-secret']) {
    const connection = await openRawConnection(service.url);
    connection.write(guestRequest(token, '{"id":1,"name":"Anna"}'));
    expect(await connection.receive('{"name":"Anna"}')).toMatch(/^HTTP\/1\.1 200 OK/);
  }
  service.process.kill('SIGINT');
  const { code, stdout, stderr } = await service.outcome;
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('secret');
});

const ORIGINS =
  'CORS_ORIGINS must be * alone or origins as browsers send them, such as https://app.example.com or http://localhost:5173';

test('invalid configuration prevents the start, exit 1 with every problem listed, one line each, without secrets', async () => {
  const outcome = await runProcess('node', ['src/main.ts'], {
    NODE_ENV: 'prod',
    PORT: '70000',
    HOST: ' ',
    API_TOKENS: 'fine-token,my secret,',
    DATABASE_URL: 'mysql://user:password@host/db',
    DATABASE_POOL_SIZE: '0',
    DATABASE_TIMEOUT_MS: '5s',
    DATABASE_QUEUE_LIMIT_BYTES: '',
    LOG_LEVEL: 'loud',
    DOCS: 'yes',
    BODY_LIMIT_BYTES: '1MB',
    HEADER_LIMIT_BYTES: '100',
    HEADERS_TIMEOUT_MS: '20000',
    REQUEST_TIMEOUT_MS: '10000',
    KEEP_ALIVE_TIMEOUT_MS: '0',
    CONNECTION_LIMIT: 'many',
    IN_FLIGHT_LIMIT: '0',
    EVENT_LOOP_DELAY_LIMIT_MS: '1e3',
    RATE_LIMIT_REQUESTS: '0',
    RATE_LIMIT_WINDOW_SECONDS: '1m',
    TRUST_PROXY: 'loopback, 10.0.0.0/33',
    PUBLIC_URL: 'https://a.example/?',
    CORS_ORIGINS: 'https://a.example/, https://*.example, https://a.example:443,https://A.example,a.example,null,*',
    CORS_CREDENTIALS: 'yes',
    CORS_MAX_AGE_SECONDS: '1d',
    OPS_HOST: '',
    OPS_PORT: '-1',
    SHUTDOWN_GRACE_MS: '-1',
    REUSE_PORT: 'yes',
    BODY_MEMORY_LIMIT_BYTES: '1000',
  });
  expect(outcome).toEqual({
    code: 1,
    stdout: '',
    stderr: [
      'NODE_ENV must be one of production, development, test, not "prod"',
      'API_TOKENS: token 2 of 3 contains a character not allowed in bearer tokens (RFC 6750, 2.1)',
      'API_TOKENS: token 3 of 3 is empty',
      'HOST must not be empty; 0.0.0.0 listens on every IPv4 interface',
      'PORT must be an integer from 0 to 65535, not "70000"',
      'REUSE_PORT must be on or off, not "yes"',
      'DATABASE_URL must be like sqlite:./data/service.db or postgres://user:password@host/database',
      'DATABASE_POOL_SIZE must be an integer from 1 to 100, not "0"',
      'DATABASE_TIMEOUT_MS must be an integer from 100 to 600000, not "5s"',
      'DATABASE_QUEUE_LIMIT_BYTES must be an integer from 1 to 1099511627776, not ""',
      'BODY_LIMIT_BYTES must be an integer from 1 to 268435456, not "1MB"',
      'HEADERS_TIMEOUT_MS must not be larger than REQUEST_TIMEOUT_MS, which counts from the same moment',
      'HEADER_LIMIT_BYTES must be an integer from 1024 to 1048576, not "100"',
      'KEEP_ALIVE_TIMEOUT_MS must be an integer from 100 to 3600000, not "0"',
      'CONNECTION_LIMIT must be an integer from 1 to 1000000, not "many"',
      'IN_FLIGHT_LIMIT must be an integer from 1 to 1000000, not "0"',
      'EVENT_LOOP_DELAY_LIMIT_MS must be an integer from 100 to 3600000, not "1e3"',
      'BODY_MEMORY_LIMIT_BYTES must not be smaller than BODY_LIMIT_BYTES',
      'RATE_LIMIT_REQUESTS must be an integer from 1 to 1000000, not "0"',
      'RATE_LIMIT_WINDOW_SECONDS must be an integer from 1 to 3600, not "1m"',
      'TRUST_PROXY must be the number of proxies, or addresses or subnets, comma-separated: 10.0.0.0/8, fd00::/8, loopback, linklocal, uniquelocal',
      'PUBLIC_URL must be an http or https URL without a query, not "https://a.example/?"',
      'CORS_CREDENTIALS must be on or off, not "yes"',
      'CORS_MAX_AGE_SECONDS must be an integer from 0 to 86400, not "1d"',
      ...[
        'https://a.example/',
        'https://*.example',
        'https://a.example:443',
        'https://A.example',
        'a.example',
        'null',
      ].map((origin) => `${ORIGINS}, not "${origin}"`),
      `${ORIGINS}, not "*"`,
      'OPS_HOST must not be empty; 0.0.0.0 listens on every IPv4 interface',
      'OPS_PORT must be an integer from 0 to 65535, not "-1"',
      'SHUTDOWN_GRACE_MS must be an integer from 0 to 3600000, not "-1"',
      'DOCS must be on or off, not "yes"',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      '',
    ].join('\n'),
  });
});

test.each([
  [{ CORS_CREDENTIALS: 'on', CORS_MAX_AGE_SECONDS: '5' }, /^CORS_CREDENTIALS=on needs .*\nCORS_MAX_AGE_SECONDS needs /],
  [{ RATE_LIMIT_WINDOW_SECONDS: '10' }, /^RATE_LIMIT_WINDOW_SECONDS needs RATE_LIMIT_REQUESTS$/m],
  [{ CORS_CREDENTIALS: 'on', CORS_ORIGINS: '*' }, /^CORS_CREDENTIALS=on needs .* do not accept \*$/m],
])('invalid configuration prevents the start, exit 1: CORS settings without effect: %j', async (env, problems) => {
  const { code, stderr } = await runProcess('node', ['src/main.ts'], { API_TOKENS: 'test-token', ...env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(problems)]);
});

test('invalid configuration prevents the start, exit 1: a number of proxies beside addresses', async () => {
  const { code, stderr } = await runProcess('node', ['src/main.ts'], {
    API_TOKENS: 'test-token',
    TRUST_PROXY: '1, loopback',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^TRUST_PROXY must be the number of proxies, or addresses or subnets/);
});

test.each(['src/main.ts', 'scripts/export.ts', '../../../node_modules/.bin/contract-first mock openapi.yaml'])(
  'invalid configuration prevents the start, exit 1: an unreadable .env, for %s',
  async (command) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.env'));
    const [program = '', ...args] = command.split(' ');
    cpSync(join(FIXTURE, 'openapi.yaml'), join(folder, 'openapi.yaml'));
    const outcome = await runProcess('node', [join(FIXTURE, program), ...args], {}, folder);
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'the file .env cannot be read\n' });
  },
);

test('a service whose document requires no token starts in production without tokens', async () => {
  const command = ['env', '-u', 'API_TOKENS', 'node', 'src/main.ts'];
  const service = await startServiceProcess({ NODE_ENV: 'production' }, command, join(APPLICATIONS, 'members'));
  expect((await fetch(`${service.url}/nowhere`)).status).toBe(404);
});

test('a service whose application checks all tokens itself starts in production without tokens', async () => {
  const { folder, read, write } = copyProject(join(APPLICATIONS, 'members'));
  const document = read('openapi.yaml').replace('security: []', 'security: [{ session: [] }]');
  const scheme = 'securitySchemes: { session: { type: apiKey, in: cookie, name: session } }';
  write('openapi.yaml', document.replace('components:', `components:\n  ${scheme}`));
  expect(await generateHere(folder)).toMatchObject({ code: 0 });
  const command = ['env', '-u', 'API_TOKENS', 'node', 'src/main.ts'];
  const incomplete = await runProcess('env', command.slice(1), { NODE_ENV: 'production' }, folder);
  expect(incomplete).toMatchObject({ code: 1, stderr: expect.stringMatching(/^no credentials configured: /) });
  const checkers = "checkers: { session: ({ cookie }) => (cookie('session') === 'me' ? { name: 'me' } : undefined) }";
  write('src/service.ts', read('src/service.ts').replace('checkers: {}', checkers));
  const { url } = await startServiceProcess({ NODE_ENV: 'production' }, command, folder);
  const statusOf = async (cookie: string) =>
    (await fetch(`${url}/members/chess`, { method: 'POST', headers: { cookie } })).status;
  expect([await statusOf('session=me'), await statusOf('session=you')]).toEqual([400, 401]);
});

test('invalid configuration prevents the start, exit 1: no token in production', async () => {
  const outcome = await runProcess('node', ['src/main.ts'], {
    NODE_ENV: 'production',
    DATABASE_URL: temporaryDatabase(),
  });
  expect(outcome).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^no credentials configured: .*set API_TOKENS.*\n$/),
  });
});

test.each(['PORT', 'OPS_PORT'])('invalid configuration prevents the start, exit 1: %s is in use', async (name) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  cleanUp(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const env = { PORT: '0', [name]: String(port), DATABASE_URL: temporaryDatabase() };
  const outcome = await runProcess('node', ['src/main.ts'], env);
  const line = `cannot listen on 127.0.0.1:${String(port)}: the port is in use\n`;
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: line });
});

test('invalid configuration prevents the start, exit 1: the host is not an address of this machine', async () => {
  const outcome = await runProcess('node', ['src/main.ts'], { HOST: '192.0.2.1', DATABASE_URL: temporaryDatabase() });
  expect(outcome).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^cannot listen on 192\.0\.2\.1:3000: .*\n$/),
  });
});
