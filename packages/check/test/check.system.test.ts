import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { BROKEN_SERVERS } from './support/defects.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN, type Defect } from './support/reference-server.ts';
import { FIXTURE, runProcess, startServiceProcess, type Outcome } from '@contract-first/testing/service.ts';

/** Returns the defect with a name. */
function defectNamed(name: string): Defect {
  const [, , , defect] = BROKEN_SERVERS.find(([what]) => what === name) ?? [];
  if (defect === undefined) throw new Error(`no broken server "${name}"`);
  return defect;
}

const command = (...args: readonly string[]): Promise<Outcome> => runHere(checkCommand, args, FIXTURE);

test('contract-first check: exit 0: a service, with a temporary database', async () => {
  const folder = temporaryFolder();
  const args = ['check', '--runs', '20', '--seed', '1', '--budget', '300'];
  expect(
    await runProcess('contract-first', args, {
      TMPDIR: folder,
      API_TOKENS: 'not this one',
      PORT: '1',
      RATE_LIMIT_REQUESTS: '1',
    }),
  ).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^(?:checks that applied to no request: .*\n)?checked: \d+ operations?, \d+ requests, 0 failures \(seed 1\)\n$/,
    ),
    stderr: '',
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('contract-first check: exit 2 with one line: the temporary folder is missing', async () => {
  const missing = join(temporaryFolder(), 'missing');
  expect(await runProcess('contract-first', ['check', '--runs', '1'], { TMPDIR: missing })).toEqual({
    code: 2,
    stdout: '',
    stderr: `the temporary folder ${missing} cannot be written to (ENOENT)\n`,
  });
});

test('contract-first check: without --url, the service accepts the tokens of two users', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  mkdirSync(join(folder, 'src'));
  const service = `import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
writeFileSync('${folder}/tokens', process.env.API_TOKENS);
const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1', () => {
  process.send({ url: 'http://127.0.0.1:' + server.address().port });
});`;
  writeFileSync(join(folder, 'src/main.ts'), service);
  await runProcess(
    'contract-first',
    ['check', 'openapi.json', '--runs', '0', '--other-token', 'of-another'],
    {},
    folder,
  );
  expect(readFileSync(join(folder, 'tokens'), 'utf8')).toMatch(/^[\w-]{32},of-another$/);
});

test('contract-first check: exit 0: a running server', async () => {
  const { url, token } = await startServiceProcess();
  const args = ['--url', url, '--token', token, '--operation', 'createGuest', '--runs', '1', '--budget', '300'];
  const outcome = await command(...args);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});

test('contract-first check: exit 0: a running server with a rate limit, after waiting', async () => {
  const { url, token } = await startServiceProcess({ RATE_LIMIT_REQUESTS: '300', RATE_LIMIT_WINDOW_SECONDS: '1' });
  const args = ['--url', url, '--token', token, '--operation', 'createGuest', '--runs', '1', '--budget', '300'];
  const outcome = await command(...args);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});

test('contract-first check: exit 1: reproducible output with the evidence, without the token', async () => {
  const url = await startReferenceServer(defectNamed('compares the start of a token only'));
  const document = documentFile();
  const args = ['--url', url, '--token', TOKEN, document, '--operation', 'deleteItem', '--seed', '7'];
  const check = (): Promise<Outcome> => runProcess('contract-first', ['check', ...args]);
  const first = await check();
  expect(first.stdout.replaceAll(url, 'URL').split('\n').slice(0, 6)).toEqual([
    'FAILED ignored_auth  deleteItem',
    expect.stringMatching(/^ {2}with a valid token with a suffix, the status is (?:404|204) instead of 401$/),
    expect.stringMatching(
      /^ {2}curl -sSi --path-as-is -g -X DELETE 'URL\/v1\/items\/-?\d+' -H 'Authorization: Bearer '"\$\{TOKEN\}x"$/,
    ),
    expect.stringMatching(/^ {2}< HTTP (?:404|204)$/),
    expect.stringMatching(/^ {2}< /),
    expect.stringMatching(/^ {2}< /),
  ]);
  const options = `--url '${url}' --token "$TOKEN" '${document}' --seed 7 --operation 'deleteItem'`;
  expect(first.stdout).toContain(`\n  repeat: npx contract-first check ${options}\n`);
  expect(first.stdout).toMatch(/\nchecked: 1 operation, \d+ requests, 1 failure \(seed 7\)\n$/);
  expect(first.code).toBe(1);
  expect(first.stderr).toMatch(/^the first failure: ignored_auth {2}deleteItem: .*\n/);
  expect(first.stdout + first.stderr).not.toContain(TOKEN);
  expect(await check()).toEqual(first);
});

test('contract-first check: exit 1: prints one line for an operation that is not implemented', async () => {
  const url = await startReferenceServer((request, respond) =>
    respond(request).status < 300 ? { status: 501, headers: {}, body: '' } : respond(request),
  );
  const args = ['--url', url, '--token', TOKEN, documentFile(), '--operation', 'putItem'];
  const { code, stdout } = await command(...args, '--seed', '1', '--runs', '5', '--budget', '300');
  expect([code, stdout.split('\n')]).toEqual([
    1,
    [
      'putItem: not implemented (501)',
      'sequences of requests were not checked for 1 resource: no operation creates resources (putItem)',
      'checks that applied to no request: head_conformance',
      expect.stringMatching(/^checked: 1 operation, \d+ requests, 0 failures, 1 not implemented \(seed 1\)$/),
      '',
    ],
  ]);
});

test.each([
  [
    'connection refused',
    ['--url', 'http://127.0.0.1:1', '--token', 'x'],
    /^http:\/\/127\.0\.0\.1:1: connection refused \(ECONNREFUSED\)/,
  ],
  [
    'the operation does not exist',
    ['--operation', 'eatGuest'],
    /^unknown operation eatGuest; the document has [^\n]*createGuest[^\n]*\n$/,
  ],
  [
    'a token is missing',
    ['--url', 'http://127.0.0.1:1', '--operation', 'createGuest'],
    /^createGuest needs a token: CONTRACT_TOKEN or --token\n$/,
  ],
  ['the address is invalid', ['--url', 'guests', '--token', 'x'], /^guests is not an http or https URL/],
  [
    'the address has a password',
    ['--url', 'http://user:secret@127.0.0.1:1'],
    /^--url must not have a user, a password, a query or a fragment\n$/,
  ],
  [
    'the address has a query',
    ['--url', 'http://127.0.0.1:1/?key=1'],
    /^--url must not have a user, a password, a query or a fragment\n$/,
  ],
  ['a number is invalid', ['--seed', '-1x'], /./],
  ['a number is too large', ['--runs', '99999999999'], /^--runs must be an integer from 0 to 2147483647/],
  ['the document does not exist', ['none.yaml'], /^none\.yaml {2}error: cannot be read/],
])('contract-first check: exit 2: %s', async (_name, args, message) => {
  expect(await command(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

function documentFile(): string {
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(shallowDocument));
  return path;
}
