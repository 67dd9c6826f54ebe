import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqlOf } from '../../../database/src/migrations.ts';
import { openForWriting, storeSchemaOf } from '../../../database/src/sqlite/open-file.ts';
import { guestTables } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { openTestStore } from '@contract-first/testing/app.ts';
import { temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startCreations } from '@contract-first/testing/load.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';

test.each([
  ['is in a folder that cannot be written', () => '/proc/guests.db', /cannot be opened/],
  ['is in a folder that cannot be created', () => join(file('not a folder'), 'guests.db'), /cannot be opened/],
  ['is a folder', () => temporaryFolder(), /cannot be opened/],
  ['is not a database', () => file('This is a text file, not a database.'.repeat(100)), /is not a SQLite database/],
  ["is another program's database", otherDatabase, /is another program's database/],
  [
    'is the database of a newer version',
    () => alteredDatabase('PRAGMA user_version = 99'),
    /was written by a newer version/,
  ],
  [
    'is a database with a changed migration',
    () => alteredDatabase(`UPDATE guest_book_schema SET applied = replace(applied, 'checksum":"', 'checksum":"0')`),
    /its migration 1 was changed after it was applied/,
  ],
  ['is a truncated database', () => damagedDatabase((bytes) => bytes.subarray(0, 20_480)), /is damaged/],
  ['is a database with a page of zeros', () => damagedDatabase((bytes) => bytes.fill(0, 8_192, 12_288)), /is damaged/],
  [
    'is a database with a page of noise',
    () => damagedDatabase((bytes) => bytes.fill(0x5a, 4_096, 8_192)),
    /is damaged/,
  ],
  ['is a database with a broken header', () => damagedDatabase((bytes) => bytes.fill(0xff, 0, 16)), /is not a SQLite/],
])('exit 1 without changing the file when the database path %s', async (_name, makePath, reason) => {
  const path = await makePath();
  const read = (): Buffer | undefined =>
    statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
  const before = read();
  const outcome = await runProcess('node', ['src/main.ts'], { PORT: '0', DATABASE_URL: `sqlite:${path}` });
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect(outcome.stderr).toMatch(reason);
  expect(outcome.stderr).toContain(path);
  expect(read()).toEqual(before);
});

test('a write-ahead log that was truncated by a crash is not damage: everything committed before is stored', async () => {
  const url = temporaryDatabase();
  const path = url.slice('sqlite:'.length);
  const service = await startServiceProcess({ DATABASE_URL: url });
  const load = startCreations(service, 1);
  await load.acknowledges(10);
  await load.stop();
  service.process.kill('SIGKILL');
  await service.outcome;
  const log = readFileSync(`${path}-wal`);
  writeFileSync(`${path}-wal`, Buffer.concat([log, log.subarray(-2_000)]));

  await startServiceProcess({ DATABASE_URL: url });
  const { stdout } = await runProcess('node', ['scripts/export.ts'], { DATABASE_URL: url });
  expect(new Set(stdout.split('\n').slice(0, -1))).toEqual(load.acknowledged);
});

test('a start waits for the SQLite migration of another process, without a time limit', async () => {
  const path = join(temporaryFolder(), 'guests.db');
  const schema = storeSchemaOf(guestTables);
  openForWriting(path, { ...schema, migrations: schema.migrations.slice(0, 1) }).close();
  const other = new DatabaseSync(path);
  other.exec(
    `BEGIN IMMEDIATE; ${schema.migrations
      .slice(1)
      .map((migration) => sqlOf(migration, ''))
      .join(';')}; PRAGMA user_version = ${String(schema.migrations.length)}`,
  );
  const opening = openTestStore(`sqlite:${path}`);
  await sleep(6_000); // Longer than a start waits for other locks.
  other.exec('COMMIT');
  other.close();
  expect(await (await opening).add({ id: 1n, name: 'Anna' })).toBe(true);
});

describeStores((createDatabase) => {
  test('ten processes can start concurrently on an empty database, and all serve', async () => {
    // The long timeout allows for ten processes on a busy machine.
    const longTimeouts = { DATABASE_TIMEOUT_MS: '30000', EVENT_LOOP_DELAY_LIMIT_MS: '30000' };
    const env = { DATABASE_URL: await createDatabase(), ...longTimeouts };
    const services = await Promise.all(Array.from({ length: 10 }, () => startServiceProcess(env)));
    const load = startCreations(services, 20);
    await load.acknowledges(500);
    await load.stop();
    expect([...load.failures]).toEqual([]);
    const { stdout } = await runProcess('node', ['scripts/export.ts'], env);
    expect(new Set(stdout.split('\n').slice(0, -1))).toEqual(load.acknowledged);
  });
});

function file(content: string): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, content);
  return path;
}

async function alteredDatabase(change: string): Promise<string> {
  const path = join(temporaryFolder(), 'guests.db');
  await (await openTestStore(`sqlite:${path}`)).close();
  const database = new DatabaseSync(path);
  database.exec(change);
  database.close();
  return path;
}

async function damagedDatabase(damage: (bytes: Buffer) => Buffer): Promise<string> {
  const path = join(temporaryFolder(), 'guests.db');
  const store = await openTestStore(`sqlite:${path}`);
  await Promise.all(Array.from({ length: 1_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(100) })));
  await store.close();
  writeFileSync(path, damage(readFileSync(path)));
  return path;
}

function otherDatabase(): string {
  const path = join(temporaryFolder(), 'other.db');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE recipes (id INTEGER)');
  database.close();
  return path;
}
