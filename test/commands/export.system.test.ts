import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startPostgres } from '@contract-first/testing/postgres.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { openTestStore, run, start } from '../support/plant-store.ts';

const exportPlants = (url: string, ...args: string[]) =>
  run('node', ['scripts/export.ts', ...args], { DATABASE_URL: url });

describeStores((createDatabase) => {
  test('export writes the current plants as NDJSON, with exact ids, while a service has the store open', async () => {
    const url = await createDatabase();
    const store = await openTestStore(url);
    await store.add({ id: 2n ** 63n - 1n, name: 'old', tag: 'tag' });
    await store.add({ id: -(2n ** 63n), name: '\u0000\ud800' });
    await store.add({ id: 2n ** 63n - 1n, name: 'new' });

    const old = '{"id":9223372036854775807,"name":"old","tag":"tag"}\n';
    const odd = '{"id":-9223372036854775808,"name":"\\u0000\\ud800"}\n';
    const current = '{"id":9223372036854775807,"name":"new"}\n';
    expect(await exportPlants(url)).toEqual({ code: 0, stdout: odd + current, stderr: '' });
    const history = { code: 0, stdout: old + odd + current, stderr: '' };
    expect(await exportPlants(url, '--history')).toEqual(history);
    await store.close();
    expect(await exportPlants(url, '--history')).toEqual(history);
  });

  test('export of an empty store writes nothing', async () => {
    const url = await createDatabase();
    await (await openTestStore(url)).close();
    expect(await exportPlants(url)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('export ends without an error when the reader closes the pipe', async () => {
    const url = await createDatabase();
    const store = await openTestStore(url);
    await Promise.all(Array.from({ length: 20_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(50) })));
    await store.close();
    const command = `set -o pipefail; node scripts/export.ts | head -n 1`;
    const outcome = await run('bash', ['-c', command], { DATABASE_URL: url });
    expect(outcome).toEqual({ code: 0, stdout: `{"id":0,"name":"${'x'.repeat(50)}"}\n`, stderr: '' });
  });
});

test('export exits 1 with one line when the database fails during the export', async () => {
  const postgres = await startPostgres();
  cleanUp(() => postgres.stop());
  const url = await postgres.createDatabase();
  const store = await openTestStore(url);
  await Promise.all(Array.from({ length: 20_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(500) })));
  await store.close();
  // The reader reads one line, and the rest, which exceeds a pipe's buffer, after the database has stopped.
  const command = `set -o pipefail; node scripts/export.ts </dev/null 3<&- | { read -r; echo first; read -r <&3; cat >/dev/null; }`;
  const { process, outcome } = start('bash', ['-c', `exec 3<&0; ${command}`], { DATABASE_URL: url });
  await once(process.stdout, 'data');
  await postgres.kill('SIGKILL');
  process.stdin.end('\n');
  expect(await outcome).toMatchObject({
    code: 1,
    stdout: 'first\n',
    stderr: expect.stringMatching(/^the database [^\n]+\n$/),
  });
});

test('export exits 1 with one line when the end of the database is damaged', async () => {
  const path = join(temporaryFolder(), 'plants.db');
  const store = await openTestStore(`sqlite:${path}`);
  await Promise.all(Array.from({ length: 1_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(100) })));
  await store.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, bytes.length / 2));
  const outcome = await exportPlants(`sqlite:${path}`, '--history');
  expect(outcome).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^the database [^\n]* is damaged[^\n]*\n$/),
  });
});

test('export exits 1 with one line when its rows wait for a slow reader and the temporary folder is full', async () => {
  const url = temporaryDatabase();
  const store = await openTestStore(url);
  await Promise.all(Array.from({ length: 20_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(500) })));
  await store.close();
  const folder = temporaryFolder();
  const becomeRoot = userInfo().uid === 0 ? [] : ['--user', '--map-root-user'];
  const script = `mount -t tmpfs -o size=64k tmpfs ${folder} && exec node scripts/export.ts`;
  const { process, outcome } = start('unshare', [...becomeRoot, '--mount', 'sh', '-c', script], {
    DATABASE_URL: url,
    SQLITE_TMPDIR: folder,
  });
  process.stdout.pause();
  await sleep(1_000); // The folder is full within milliseconds; it is emptied when the stream fails.
  process.stdout.resume();
  expect(await outcome).toMatchObject({ code: 1, stderr: 'the temporary folder (TMPDIR) is full\n' });
});

test('export exits 1 with one line when the output cannot be written', async () => {
  const url = temporaryDatabase();
  const store = await openTestStore(url);
  await store.add({ id: 1n, name: 'x' });
  await store.close();
  const outcome = await run('bash', ['-c', 'node scripts/export.ts >/dev/full'], { DATABASE_URL: url });
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'the output cannot be written (ENOSPC)\n' });
});

test.each([[['--histroy']], [['plants.ndjson']], [['--history', '--history']]])(
  'export exits 1 with one line for the arguments %j',
  async (args) => {
    const outcome = await exportPlants(temporaryDatabase(), ...args);
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'the only option is --history\n' });
  },
);

test.each([
  ['the database does not exist', () => join(temporaryFolder(), 'plants.db'), /^there is no database at .*\n$/],
  ['the file is not a database', notADatabase, /^the database .* is not a SQLite database\n$/],
])('export exits 1 with one line when %s', async (_name, makePath, message) => {
  const outcome = await exportPlants(`sqlite:${makePath()}`);
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
});

test.each(['plants.db', 'sqlite:', 'sqlite::memory:', 'sqlite:file:plants.db?mode=ro'])(
  'export exits 1 when DATABASE_URL is %s',
  async (url) => {
    expect(await exportPlants(url)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL must be/),
    });
  },
);

function notADatabase(): string {
  const path = join(temporaryFolder(), 'plants.db');
  writeFileSync(path, 'not a database '.repeat(100));
  return path;
}
