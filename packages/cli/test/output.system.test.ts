import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@contract-first/testing/postgres-programs.ts';
import { temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess, start, startServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

const DIFF = 'contract-first diff openapi.yaml openapi.yaml';

/** Returns a document with the escape character, C1's control sequence introducer and a change of direction in its texts. */
function hostileDocument(texts: object): string {
  const path = join(temporaryFolder(), 'openapi.json');
  const info = { title: 'A\u001b[2J\u009b2J\u202eB', version: '1' };
  writeFileSync(path, JSON.stringify({ openapi: '3.1.0', info, security: [], paths: {}, ...texts }));
  return path;
}

test.each([
  ['start', 'node src/main.ts'],
  ['dev', 'contract-first dev'],
  ['mock', 'contract-first mock'],
])('standard output that cannot be written: npm run %s serves requests all the same', async (_name, command) => {
  const port = String(await freePort());
  start('sh', ['-c', `exec ${command} >/dev/full`], { PORT: port, DATABASE_URL: temporaryDatabase() });
  const status = () =>
    fetch(`http://127.0.0.1:${port}/nowhere`).then(
      ({ status }) => status,
      () => undefined,
    );
  await until(status, 404, 60_000);
});

test.each([
  [2, 'contract-first generate --check'],
  [2, DIFF],
  [2, 'contract-first check --help'],
])('standard output that cannot be written: exit %i, with one line: %s', async (code, command) => {
  const stderr = 'the output cannot be written (ENOSPC)\n';
  expect(await runProcess('sh', ['-c', `${command} >/dev/full`])).toEqual({ code, stdout: '', stderr });
});

test('standard output that cannot be written: exit 0 without output if the reader closed the pipe', async () => {
  const outcome = await runProcess('bash', ['-c', `set -o pipefail; ${DIFF} --rules | head -1`]);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});

test('a file that cannot be written: exit 2, with one line that names no bug', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'generated'), '');
  const outcome = await runProcess('contract-first', ['generate', join(ROOT, 'openapi.yaml')], {}, folder);
  const stderr = expect.stringMatching(/^ENOTDIR: not a directory, open 'generated\/[^\n]*\n$/);
  expect(outcome).toEqual({ code: 2, stdout: '', stderr });
});

test('control characters of a document are escaped in the banner of the mock', async () => {
  const service = await startServiceProcess({}, ['contract-first', 'mock', hostileDocument({})]);
  expect(service.output()).toContain(String.raw`A\u001b[2J\u009b2J\u202eB`);
});

test('control characters of a document are escaped in the output of contract:diff', async () => {
  const get = { responses: { '200': { description: 'OK' } } };
  const [base, revision] = [hostileDocument({ paths: { '/a\u009b2Jb': { get } } }), hostileDocument({})];
  const { stdout } = await runProcess('contract-first', ['diff', '--base', base, '--revision', revision]);
  expect(stdout).toContain(String.raw`a\u009b2Jb`);
  expect(stdout).not.toContain('\u009b');
});

test('control characters of a document are escaped in its problems, each on one line', async () => {
  const path = hostileDocument({ 'x\n::error::\u001b[2J': 1 });
  const { code, stderr } = await runProcess('contract-first', ['mock', path]);
  expect(code).toBe(2);
  expect(stderr).toContain(String.raw`\u001b[2J`);
  expect(stderr).not.toMatch(/^::/m);
});
