import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { DatabaseUnavailable, type BatchDatabase, type DatabaseOptions } from '../src/database.ts';
import { either, sql } from '../src/sql.ts';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { insertNote, notes, openNotes as open, openWithoutInsert, tally, type Note } from './support/notes.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { runProcess, start } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';

const KEY = '01234567-89ab-4cde-8f01-23456789abcd';
const all = sql<Note>`SELECT id, text FROM ${notes} ORDER BY id`;

describeStores((createDatabase) => {
  const openNew = async (options: Partial<DatabaseOptions> = {}): Promise<BatchDatabase<Note>> =>
    openNotes(await createDatabase(), options);

  test('read sees earlier commits, by insert and by write', async () => {
    const database = await openNew();
    for (let id = 1n; id <= 20n; id += 1n) {
      if (id % 2n === 0n) await database.insert({ id, text: 'x' });
      else await database.write(insertNote(id, 'x'));
      expect(await database.read(sql`SELECT id FROM ${notes} WHERE id = ${id}`)).toEqual([{ id }]);
    }
  });

  test('read returns every int64 as a bigint with all its digits, and strings exactly as JSON text', async () => {
    const database = await openNew();
    const texts = ['\u0000', '\ud800', '🌿', '"\\\n', ''].map((text) => JSON.stringify(text));
    const rows = texts.map((text, index) => ({ id: 2n ** 63n - 1n - BigInt(index), text }));
    rows.push({ id: -(2n ** 63n), text: '"least"' });
    await Promise.all(rows.map((row) => database.insert(row)));
    expect((await database.read(all)).toReversed()).toEqual(rows);
    const [only] = await database.read(
      sql`SELECT count(*) AS count, CAST(0.5 AS double precision) AS real, NULL AS missing FROM ${notes}`,
    );
    expect(only).toEqual({ count: 6n, real: 0.5, missing: null });
  });

  test('read accepts every kind of value as a parameter', async () => {
    const database = await openNew();
    const bytes = new Uint8Array([0, 255]);
    const type = (name: string) => either({ sqlite: sql``, postgres: { write: () => `::${name}` } });
    const query = sql`SELECT ${2n ** 63n - 1n}${type('bigint')} AS i, ${0.5}${type('float8')} AS r,
        ${'é'}${type('text')} AS t, ${bytes}${type('bytea')} AS b, ${null}${type('text')} AS n`;
    expect(await database.read(query)).toEqual([{ i: 2n ** 63n - 1n, r: 0.5, t: 'é', b: bytes, n: null }]);
  });

  test('an invalid query fails alone, with an error that does not mean an outage', async () => {
    const database = await openNew();
    const [wrong, right] = await Promise.allSettled([
      database.read(sql`SELECT nonsense FROM ${notes}`),
      database.read(all),
    ]);
    expect(right).toEqual({ status: 'fulfilled', value: [] });
    expect(wrong.status === 'rejected' && wrong.reason instanceof Error).toBe(true);
    expect(wrong.status === 'rejected' && wrong.reason instanceof DatabaseUnavailable).toBe(false);
  });

  test('read continues while commits wait, and does not block the event loop', async () => {
    const url = await createDatabase();
    const database = await openNotes(url);
    await database.insert({ id: 1n, text: 'x' });
    const release = await holdCommits(url);
    const pending = database.insert({ id: 2n, text: 'y' });
    expect(await database.read(all)).toEqual([{ id: 1n, text: 'x' }]);
    await release();
    expect(await pending).toBe(true);
  });

  test('read fails within the time limit when a query takes too long, and then works again', async () => {
    const database = await openNew({ timeoutMs: 1_500 });
    const endless = sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n`;
    const ended: unknown[] = [];
    const reading = database.read(endless).catch((error: unknown) => ended.push(error));
    await sleep(1);
    expect(ended).toEqual([]); // The event loop was not blocked until the time limit.
    await reading;
    expect(ended).toEqual([expect.any(DatabaseUnavailable)]);
    let rows: readonly unknown[] | undefined;
    while (rows === undefined) {
      await sleep(10);
      rows = await database.read(all).catch(() => undefined);
    }
    expect(rows).toEqual([]);
  });

  test('write returns the rows and the number of changes of each statement', async () => {
    const database = await openNew();
    await database.insert({ id: 1n, text: 'x' });
    await database.insert({ id: 2n, text: 'x' });
    const written = await database.write(
      sql`UPDATE ${notes} SET text = ${'y'}`,
      sql`DELETE FROM ${notes} WHERE id = ${1n} RETURNING id, text`,
      sql`DELETE FROM ${notes} WHERE id = ${3n}`,
    );
    expect(written.map(({ count }) => count)).toEqual([2, 1, 0]);
    expect(written[1]?.rows).toEqual([{ id: 1n, text: 'y' }]);
    expect(await database.read(all)).toEqual([{ id: 2n, text: 'y' }]);
  });

  test('write is all or nothing; concurrent writes and inserts are not affected', async () => {
    const database = await openNew();
    await database.write(insertNote(2n, 'x'), insertNote(3n, 'x'));
    const outcomes = await Promise.allSettled([
      database.insert({ id: 1n, text: 'x' }),
      database.write(insertNote(8n, 'x')),
      database.write(insertNote(4n, 'x'), insertNote(2n, 'again')),
      database.write(insertNote(5n, 'x'), sql`nonsense`),
      database.insert({ id: 6n, text: 'x' }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).not.toBeInstanceOf(DatabaseUnavailable);
    }
    expect((await database.read(all)).map(({ id }) => id)).toEqual([1n, 2n, 3n, 6n, 8n]);
    expect(await database.insert({ id: 7n, text: 'x' }, KEY)).toBe(true);
  });

  test('write is all or nothing after kill -9 at any moment, and every confirmed write is stored', async () => {
    const url = await createDatabase();
    await (await openNotes(url)).close();
    for (let round = 0; round < rounds(2, 5); round += 1) {
      const { process, outcome, output } = start(
        'node',
        [join(import.meta.dirname, 'support/write-notes.ts'), url, `${String(round)}00000000`],
        {},
      );
      await once(process.stdout, 'data');
      await sleep(round * 20);
      process.kill('SIGKILL');
      await outcome;
      const confirmed = output()
        .trimEnd()
        .split('\n')
        .filter((line) => /^\d+$/.test(line))
        .map(BigInt);
      const database = await openNotes(url);
      const ids = (await database.read(all)).map(({ id }) => id);
      const [{ total } = { total: undefined }] = await database.read(
        sql<{ total: bigint }>`SELECT total FROM ${tally}`,
      );
      expect(total).toBe(BigInt(ids.length));
      expect(confirmed.filter((id) => !ids.includes(id))).toEqual([]);
      await database.close();
    }
  });

  test('without a batch statement, the database has write, read and check, but no insert', async () => {
    const database = await openWithoutInsert(await createDatabase());
    cleanUp(database.close);
    await database.check();
    await database.write(insertNote(1n, 'x'));
    expect(await database.read(all)).toEqual([{ id: 1n, text: 'x' }]);
    // @ts-expect-error: the type has no insert, either.
    expect(database.insert).toBeUndefined();
  });

  test('stream of 200,000 rows takes constant memory with a slow consumer; inserts and reads continue', async () => {
    const url = await createDatabase();
    const database = await openNotes(url, { timeoutMs: 60_000 });
    const text = 'x'.repeat(500);
    await database.write(
      sql`INSERT INTO ${notes} (id, text, key) ${either({
        sqlite: sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
          SELECT i, ${text}, randomblob(16) FROM n`,
        postgres: sql`SELECT i, ${text}::text, gen_random_uuid() FROM generate_series(1, 200000) AS i`,
      })}`,
    );
    await database.close();
    // All rows together are twice as large as the heap limit.
    const limits = ['--max-old-space-size=48', '--max-semi-space-size=2'];
    const outcome = await runProcess('node', [...limits, join(import.meta.dirname, 'support/stream-notes.ts'), url]);
    expect(outcome).toEqual({ code: 0, stdout: '200000\n', stderr: '' });
  });

  test('stream releases its connection when the consumer stops early, and ends with an error when the database is closed', async () => {
    const database = await openNew({ poolSize: 1 });
    await database.write(insertNote(1n, 'x'), insertNote(2n, 'x'));
    for (let round = 0; round < 3; round += 1) {
      for await (const row of database.stream(all)) {
        expect(row).toEqual({ id: 1n, text: 'x' });
        break;
      }
    }
    const last = database.stream(all)[Symbol.asyncIterator]();
    await last.next();
    await database.close();
  });

  test('paused streams occupy no connection: each returns all rows of its snapshot', async () => {
    const database = await openNew({ poolSize: 2 });
    const text = 'x'.repeat(1_000);
    const ids = Array.from({ length: 3_000 }, (_, index) => BigInt(index));
    await Promise.all(ids.map((id) => database.insert({ id, text })));
    const slow = Array.from({ length: 5 }, () => database.stream(all)[Symbol.asyncIterator]());
    for (const stream of slow) expect((await stream.next()).value).toEqual({ id: 0n, text });
    await slow[0]?.return?.();
    await database.insert({ id: 10_000n, text: 'later' });
    for (const stream of slow.slice(1)) {
      const rest: bigint[] = [];
      for (let row = await stream.next(); row.done !== true; row = await stream.next()) rest.push(row.value.id);
      expect(rest).toEqual(ids.slice(1));
    }
  });

  test('stream waits up to the time limit of a query for a connection whose query returns no row', async () => {
    const database = await openNew({ poolSize: 1, timeoutMs: 500 });
    const empty = either({
      sqlite: sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000000) SELECT max(i) FROM n`,
      postgres: sql`SELECT pg_sleep(10)`,
    });
    const long = database.stream(empty)[Symbol.asyncIterator]();
    const first = long.next().catch(() => undefined);
    await expect(database.stream(all)[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.close();
    await first;
  });

  test('stream returns the snapshot of its beginning, even to a slow consumer', async () => {
    const database = await openNew();
    const ids = Array.from({ length: 5_000 }, (_, index) => BigInt(index));
    await Promise.all(ids.map((id) => database.insert({ id, text: 'x' })));
    const seen: bigint[] = [];
    for await (const { id } of database.stream(all)) {
      if (id % 1_000n === 0n) await database.insert({ id: 10_000n + id, text: 'later' });
      seen.push(id);
    }
    expect(seen).toEqual(ids);
  });
});

test('a SQLite database reads while a long query that returns no row is running', async () => {
  const database = await openNotes(`sqlite:${join(temporaryFolder(), 'notes.db')}`, { timeoutMs: 500 });
  await database.insert({ id: 1n, text: 'x' });
  const long = sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT max(i) FROM n`;
  await expect(database.read(long)).rejects.toBeInstanceOf(DatabaseUnavailable);
  while ((await database.read(all).catch(() => [])).length === 0) await sleep(10);
});

test('a SQLite database checkpoints its log while a stream waits for its consumer', async () => {
  const path = join(temporaryFolder(), 'notes.db');
  const database = await openNotes(`sqlite:${path}`);
  const text = 'x'.repeat(1_000);
  await database.write(sql`INSERT INTO ${notes} (id, text)
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) SELECT i, ${text} FROM n`);
  const stream = database.stream(all)[Symbol.asyncIterator]();
  await stream.next();
  for (let round = 0; round < 15; round += 1) {
    // Writes 20 MB to the log each time. The text changes, since SQLite does not write unchanged pages.
    await database.write(sql`UPDATE ${notes} SET text = ${String(round).padEnd(1_000)}`);
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(100_000_000);
  expect((await stream.next()).value).toEqual({ id: 1n, text });
  await stream.return?.();
});

/** Opens a database of notes; it is closed when the test ends. */
async function openNotes(url: string, options: Partial<DatabaseOptions> = {}): Promise<BatchDatabase<Note>> {
  const database = await open(url, options);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= database.close());
  cleanUp(close);
  return { ...database, close };
}

/** Blocks commits with a lock. Returns a function that releases the lock. */
async function holdCommits(url: string): Promise<() => void | Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    return () => {
      other.close();
    };
  }
  const client = new Client(url);
  await client.connect();
  await client.query('BEGIN; LOCK TABLE notes IN EXCLUSIVE MODE');
  return () => client.end();
}
