import { chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startCreations, openTestStore, run, start, startService } from '../support/plant-store.ts';

const backup = (path: string, ...args: string[]) =>
  run('node', ['scripts/backup.ts', 'backup', ...args], { DATABASE_URL: `sqlite:${path}` });
const restore = (path: string, ...args: string[]) =>
  run('node', ['scripts/backup.ts', 'restore', ...args], { DATABASE_URL: `sqlite:${path}` });
const exported = async (path: string): Promise<string[]> => {
  const { stdout } = await run('node', ['scripts/export.ts', '--history'], { DATABASE_URL: `sqlite:${path}` });
  return stdout.split('\n').slice(0, -1);
};

async function storeOf(...names: readonly string[]): Promise<string> {
  const path = join(temporaryFolder(), 'plants.db');
  const store = await openTestStore(`sqlite:${path}`);
  for (const name of names) await store.add({ id: 2n ** 63n - 1n, name });
  await store.close();
  return path;
}

test('a backup under load contains every plant acknowledged before it, and a service runs on the restored store', async () => {
  const path = join(temporaryFolder(), 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const load = startCreations(service, 16);
  await load.acknowledges(2_000);
  const before = [...load.acknowledged];
  const file = join(temporaryFolder(), 'backup.db');
  expect(await backup(path, file)).toMatchObject({ code: 0, stderr: '' });
  await load.acknowledges(2_000);
  await load.stop();
  expect(readdirSync(dirname(file))).toEqual(['backup.db']);

  const restored = join(temporaryFolder(), 'new', 'plants.db');
  const outcome = await restore(restored, file);
  const kept = await exported(restored);
  expect(outcome).toEqual({ code: 0, stdout: `${restored} holds ${String(kept.length)} creations\n`, stderr: '' });
  const keptSet = new Set(kept);
  expect(before.filter((line) => !keptSet.has(line))).toEqual([]);
  expect(kept.filter((line) => !load.sent.has(line))).toEqual([]);
  const again = await startService({ DATABASE_URL: `sqlite:${restored}` });
  const more = startCreations(again, 1);
  await more.acknowledges(1);
  await more.stop();
});

// Only root can change the owner of a file.
const testAsRoot = userInfo().uid === 0 ? test : test.skip;

testAsRoot("a copy made by root belongs to the owner of its folder, so the owner's service can use it", async () => {
  const [uid, gid] = [54_321, 54_322];
  const folder = temporaryFolder();
  chownSync(folder, uid, gid);
  const source = await storeOf('a');
  const file = join(folder, 'backup.db');
  const restored = join(folder, 'plants.db');
  expect(await backup(source, file)).toMatchObject({ code: 0, stderr: '' });
  expect(await restore(restored, file)).toMatchObject({ code: 0, stderr: '' });
  for (const path of [file, restored]) expect(statSync(path)).toMatchObject({ uid, gid });

  const asOwner = ['setpriv', `--reuid=${String(uid)}`, `--regid=${String(gid)}`, '--clear-groups'];
  const env = { DATABASE_URL: `sqlite:${restored}` };
  const service = await startService(env, [...asOwner, 'node', 'src/main.ts']);
  const load = startCreations(service, 1);
  await load.acknowledges(1);
  await load.stop();
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

testAsRoot('a copy made by root in a folder of root belongs to root', async () => {
  const file = join(temporaryFolder(), 'backup.db');
  expect(await backup(await storeOf('a'), file)).toMatchObject({ code: 0, stderr: '' });
  expect(statSync(file)).toMatchObject({ uid: 0, gid: 0 });
});

test.each<[string, () => Promise<{ outcome: ReturnType<typeof run>; untouched: string }>, RegExp]>([
  ['the backup file exists', async () => onto(await storeOf('a'), await storeOf('b'), backup), /is there; move/],
  [
    'a database is where to restore',
    async () => onto(await storeOf('a'), await storeOf('b'), restore),
    /is there; move/,
  ],
  [
    'a write-ahead log was left behind',
    async () => {
      const path = join(temporaryFolder(), 'plants.db');
      writeFileSync(`${path}-wal`, 'old');
      return { outcome: restore(path, await storeOf('a')), untouched: `${path}-wal` };
    },
    /plants\.db-wal is there; move/,
  ],
])('backup and restore fail and overwrite nothing when %s', async (_name, act, message) => {
  const { outcome, untouched } = await act();
  const before = readFileSync(untouched);
  expect(await outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  expect(readFileSync(untouched)).toEqual(before);
});

test.each<[string, () => Promise<string>, RegExp]>([
  ['does not exist', () => Promise.resolve(join(temporaryFolder(), 'none.db')), /^there is no database at .*\n$/],
  ['is another file', () => Promise.resolve(fileOf('not a database '.repeat(100))), /is not a SQLite database\n$/],
  [
    'is damaged',
    async () => damaged(await storeOf(...Array.from({ length: 300 }, (_, i) => 'x'.repeat(i)))),
    /is damaged/,
  ],
])('backup and restore fail with one line for a source that %s', async (_name, makePath, message) => {
  const source = await makePath();
  const target = join(temporaryFolder(), 'backup.db');
  for (const act of [() => backup(source, target), () => restore(target, source)]) {
    const outcome = await act();
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(outcome.stderr).toMatch(message);
    expect(readdirSync(dirname(target))).toEqual([]);
  }
});

test('backup and restore fail with one line for a path below a file', async () => {
  const path = await storeOf('a');
  const outcome = await backup(path, join(path, 'backup.db'));
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^the database [^\n]+\n$/) });
});

/** A large database, whose copy takes a while. */
let largeStore: string;
beforeAll(async () => {
  largeStore = await storeOf(...Array.from({ length: 150 }, () => 'x'.repeat(1_000_000)));
});

test.each([
  ['backup', (large: string) => [large, join(temporaryFolder(), 'copy.db')] as const],
  ['restore', (large: string) => [join(temporaryFolder(), 'copy.db'), large] as const],
])('after kill -9 of a %s, the next run with the same target removes the partial file', async (command, arrange) => {
  const [database, file] = arrange(largeStore);
  const target = command === 'backup' ? file : database;
  const killed = await startCopying(command, database, file, target);
  killed.process.kill('SIGKILL');
  await killed.outcome;
  expect(partialsOf(target)).toHaveLength(1);
  const next = command === 'backup' ? backup : restore;
  expect(await next(database, file)).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(dirname(target))).toEqual(['copy.db']);
});

test('if two runs write to the same file, the first to finish succeeds and the other fails', async () => {
  const target = join(temporaryFolder(), 'copy.db');
  const first = await startCopying('backup', largeStore, target, target);
  first.process.kill('SIGSTOP');
  const partials = partialsOf(target);
  expect(partials).toHaveLength(1);
  expect(await backup(largeStore, target)).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(dirname(target)).sort()).toEqual(['copy.db', ...partials]);
  first.process.kill('SIGCONT');
  const refused = { code: 1, stdout: '', stderr: `${target} is there; move it away first\n` };
  expect(await first.outcome).toEqual(refused);
  expect(readdirSync(dirname(target))).toEqual(['copy.db']);
});

/** Starts a backup or a restore, and resolves when its output file has begun to grow. */
async function startCopying(command: string, database: string, file: string, target: string) {
  const started = start('node', ['scripts/backup.ts', command, file], {
    DATABASE_URL: `sqlite:${database}`,
  });
  const isGrowing = (): boolean =>
    readdirSync(dirname(target), { recursive: true, encoding: 'utf8' }).some(
      (name) => (statSync(join(dirname(target), name), { throwIfNoEntry: false })?.size ?? 0) > 1_000_000,
    );
  while (!isGrowing()) await sleep(1);
  return started;
}

function partialsOf(target: string): string[] {
  return readdirSync(dirname(target)).filter((name) => name.endsWith('.partial'));
}

test('backup and restore require exactly one file', async () => {
  const path = await storeOf('a');
  for (const args of [[], ['one.db', 'two.db'], ['--force']]) {
    expect(await backup(path, ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^name one file: .*\n$/),
    });
  }
  expect(existsSync('one.db')).toBe(false);
});

async function onto(source: string, target: string, act: typeof backup) {
  return Promise.resolve({
    outcome: act(act === backup ? source : target, act === backup ? target : source),
    untouched: target,
  });
}

function fileOf(content: string): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, content);
  return path;
}

function damaged(path: string): string {
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length - 4_096); // Damages the end of the table, which counting the creations does not read.
  writeFileSync(path, bytes);
  return path;
}
