import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDatabaseUrl } from '../src/open-database.ts';
import { DatabaseUnavailable } from '../src/database.ts';
import { openTestStore } from '@contract-first/testing/app.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { until } from '@contract-first/testing/until.ts';

const KEY = '01234567-89ab-4cde-8f01-23456789abcd';
// After this time, a commit checks the files again.
const LOOK_EVERY_MS = 20;
const temporaryDatabase = (): string => join(temporaryFolder(), 'guests.db');

describeStores((createDatabase) => {
  test('a store closes only when earlier additions are committed', async () => {
    const store = await openTestStore(await createDatabase());
    const added = store.add({ id: 1n, name: 'x' });
    await store.close();
    expect(await added).toBe(true);
    expect(await store.list()).toEqual([{ id: 1n, name: 'x' }]);
  });

  test('a store keeps the order of concurrently added guests', async () => {
    const store = await openTestStore(await createDatabase());
    const guests = Array.from({ length: 3_000 }, (_, index) => ({ id: BigInt(index % 7), name: String(index) }));
    await Promise.all(guests.map((guest) => store.add(guest)));
    expect(await store.list()).toEqual(guests);
  });

  test('a store adds one guest per key, concurrently or later, and after it is reopened', async () => {
    const store = await openTestStore(await createDatabase());
    const guest = { id: 1n, name: 'x' };
    expect(await Promise.all([store.add(guest, KEY), store.add(guest, KEY), store.add(guest)])).toEqual([
      true,
      false,
      true,
    ]);
    await store.close();
    const again = await openTestStore(store.url);
    expect(await again.add(guest, KEY)).toBe(false);
    expect(await again.list()).toEqual([guest, guest]);
  });
});

test('the embedded store keeps the valid guests of a batch with rejected guests, in order', async () => {
  const path = temporaryDatabase();
  const store = await openTestStore(`sqlite:${path}`);
  const other = new DatabaseSync(path);
  other.exec("CREATE TRIGGER refuse BEFORE INSERT ON guests WHEN NEW.id = 13 BEGIN SELECT RAISE(ABORT, 'no'); END");
  const group = [12n, 13n, 14n, 13n, 15n].map((id) => store.add({ id, name: 'x' }));
  const statuses = (await Promise.allSettled(group)).map(({ status }) => status);
  expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect((await store.list()).map(({ id }) => id)).toEqual([12n, 14n, 15n]);
  other.close();
});

test('the embedded store does not acknowledge a guest that a trigger drops silently, and keeps the rest of the batch', async () => {
  const path = temporaryDatabase();
  const store = await openTestStore(`sqlite:${path}`);
  const other = new DatabaseSync(path);
  other.exec('CREATE TRIGGER forget BEFORE INSERT ON guests WHEN NEW.id = 13 BEGIN SELECT RAISE(IGNORE); END');
  other.close();
  const guests = [12n, 13n, 14n, 13n].map((id) => ({ id, name: 'x' }));
  const adding = guests.map((guest, index) => store.add(guest, index === 3 ? KEY : undefined));
  const statuses = (await Promise.allSettled(adding)).map(({ status }) => status);
  expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect((await store.list()).map(({ id }) => id)).toEqual([12n, 14n]);
});

test('the embedded store is unavailable while another process holds the lock, and then recovers', async () => {
  const path = temporaryDatabase();
  const store = await openTestStore(`sqlite:${path}`, { timeoutMs: 100 });
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  await expect(store.add({ id: 1n, name: 'x' })).rejects.toBeInstanceOf(DatabaseUnavailable);
  other.exec('ROLLBACK');
  other.close();
  await until(() => store.add({ id: 2n, name: 'x' }).catch(() => false), true);
});

test('the embedded store acknowledges nothing shortly after its file was moved away', async () => {
  const path = temporaryDatabase();
  const store = await openTestStore(`sqlite:${path}`);
  await store.add({ id: 1n, name: 'x' });
  renameSync(path, `${path}.away`);
  await sleep(LOOK_EVERY_MS);
  await expect(store.add({ id: 2n, name: 'x' })).rejects.toBeInstanceOf(DatabaseUnavailable);
  copyFileSync(`${path}.away`, path);
  await expect(store.add({ id: 3n, name: 'x' })).rejects.toBeInstanceOf(DatabaseUnavailable);
});

test('the embedded store acknowledges nothing shortly after its write-ahead log was deleted; earlier guests are kept', async () => {
  const path = temporaryDatabase();
  const store = await openTestStore(`sqlite:${path}`);
  await store.add({ id: 1n, name: 'x' });
  rmSync(`${path}-wal`);
  await sleep(LOOK_EVERY_MS);
  await expect(store.add({ id: 2n, name: 'x' })).rejects.toBeInstanceOf(DatabaseUnavailable);
  await store.close();
  expect(await store.list()).toEqual([{ id: 1n, name: 'x' }]);
});

test('the embedded store is a file', () => {
  for (const url of ['sqlite::memory:', 'sqlite:file:guests.db?mode=memory', 'sqlite:./data/']) {
    expect(parseDatabaseUrl(url)).toEqual({ problems: [expect.stringMatching(/^DATABASE_URL must be like/)] });
  }
  expect(parseDatabaseUrl('sqlite:./a file?')).toEqual({ location: { engine: 'sqlite', path: './a file?' } });
});

test('the embedded store upgrades a file of the first version with all its data', async () => {
  const path = temporaryDatabase();
  const first = new DatabaseSync(path);
  first.exec(`
      CREATE TABLE guests (seq INTEGER PRIMARY KEY, id INTEGER NOT NULL, guest TEXT NOT NULL) STRICT;
      INSERT INTO guests (id, guest) VALUES (9223372036854775807, '{"name":"\\u0000"}');
      PRAGMA application_id = 0x626f6f6b;
      PRAGMA user_version = 1;
    `);
  first.close();
  const store = await openTestStore(`sqlite:${path}`);
  expect(await store.add({ id: 1n, name: 'x' }, KEY)).toBe(true);
  expect(await store.list()).toEqual([
    { id: 2n ** 63n - 1n, name: '\u0000' },
    { id: 1n, name: 'x' },
  ]);
});
