import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, type DatabaseOptions } from '../src/database.ts';
import { sql } from '../src/sql.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { insertNote, notes, openNotes, tally, type Note } from './support/notes.ts';
import { severalHosts, startPostgres, startPostgresPair } from '@contract-first/testing/postgres.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { startProxy } from './support/proxy.ts';
import { until } from '@contract-first/testing/until.ts';

const all = sql<Note>`SELECT id, text FROM ${notes} ORDER BY id`;
const NOTE = { id: 1n, text: 'x' };

const server = sharedPostgres();

const openThroughTwo = async (options: Partial<DatabaseOptions> = {}) => {
  const url = await server.createDatabase();
  const [first, second] = [await startProxy(server.port), await startProxy(server.port)];
  const database = await open(severalHosts(first.through(url), second.through(url)), options);
  await database.insert(NOTE);
  return { database, first, second };
};

test('reads of a PostgreSQL database with two hosts are carried out on the other host when theirs dies, and none fails', async () => {
  const { database, first, second } = await openThroughTwo();
  const reading = startReading(() => database.read(all));
  await reading.progress(200);
  first.stop();
  await reading.progress(200);
  second.cut();
  await reading.progress(200);
  const { results, errors } = await reading.stop();
  expect(errors).toEqual([]);
  expect(results.every((rows) => rows.length === 1)).toBe(true);
});

test('reads of a PostgreSQL database with two hosts are rejected within their time when their host falls silent, and then go to the other one', async () => {
  const { database, first } = await openThroughTwo({ timeoutMs: 3_000 });
  expect(await database.read(all)).toEqual([NOTE]);
  first.stall();
  await expect(database.read(all)).rejects.toThrow(DatabaseUnavailable);
  const reading = startReading(() => database.read(all));
  await reading.progress(1);
  const { errors } = await reading.stop();
  expect(errors.filter((error) => !(error instanceof DatabaseUnavailable))).toEqual([]);
});

test('reads of a PostgreSQL database with two hosts end a stream with an error when their host dies, and the next stream goes to the other one', async () => {
  const { database, first } = await openThroughTwo();
  await database.write(sql`INSERT INTO ${notes} (id, text, key)
      SELECT i, ${'x'}::text, gen_random_uuid() FROM generate_series(2, 5000) AS i`);
  let count = 0;
  const reading = (async () => {
    for await (const { text } of database.stream(all)) {
      expect(text).toBe('x');
      count += 1;
      if (count === 500) first.stop();
    }
  })();
  await expect(reading).rejects.toThrow(DatabaseUnavailable);
  expect(await Array.fromAsync(database.stream(all))).toHaveLength(5_000);
});

test('a stream of a query that takes long is waited for; one from a PostgreSQL that falls silent ends with an error', async () => {
  const server = await startPostgres();
  cleanUp(server.stop);
  const proxy = await startProxy(server.port);
  const database = await open(proxy.through(await server.createDatabase()), { timeoutMs: 2_000 });
  const slow = sql<{ done: string }>`SELECT pg_sleep(6)::text AS done`;
  expect(await Array.fromAsync(database.stream(slow))).toEqual([{ done: '' }]);
  const reading = Array.fromAsync(database.stream(sql`SELECT pg_sleep(600)`));
  const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
  await until(async () => (await server.query(server.url(), waiting))[0]?.['count'], '1');
  proxy.stall();
  await expect(reading).rejects.toThrow(DatabaseUnavailable);
});

test('reads wait for the promotion of the standby when the primary of PostgreSQL dies, and see every confirmed write', async () => {
  const { primary, standby, promote } = await startPostgresPair();
  cleanUp(standby.stop);
  cleanUp(primary.stop);
  const url = await primary.createDatabase();
  const both = severalHosts(url, standby.url(new URL(url).pathname.slice(1)));
  // Promotion takes long on a busy machine.
  const database = await open(both, { timeoutMs: 25_000 });
  await database.insert(NOTE);
  const reading = startReading(() => database.read(all));
  await reading.progress(100);
  await primary.kill('SIGKILL');
  await promote();
  await reading.progress(100);
  const { results, errors } = await reading.stop();
  expect(errors).toEqual([]);
  expect(results.every((rows) => rows.length === 1)).toBe(true);
});

test.each([
  ['write', 'the answer is lost', 'is stored, once', 1n],
  ['write', 'the message is lost', 'is not stored', 0n],
  ['transaction', 'the answer is lost', 'is stored, once', 1n],
  ['transaction', 'the message is lost', 'is not stored', 0n],
] as const)(
  'a COMMIT of `%s` is rejected as unavailable when %s; the transaction %s',
  async (name, loss, _outcome, stored) => {
    const url = await server.createDatabase();
    const proxy = await startProxy(server.port);
    const database = await open(proxy.through(url));
    const direct = await open(url);
    const add = (id: bigint) => {
      const statements = [insertNote(id, 'x'), sql`UPDATE ${tally} SET total = total + 1`];
      return name === 'write'
        ? database.write(...statements)
        : database.transaction(({ write }) => write(...statements));
    };
    proxy.lose('COMMIT\0', loss); // The isolation level of a BEGIN may be READ COMMITTED.
    await expect(add(1n)).rejects.toThrow(DatabaseUnavailable);
    await sleep(100); // A repetition would have been committed by now.
    expect(await direct.read(all)).toHaveLength(Number(stored));
    expect(await direct.read(sql`SELECT total FROM ${tally}`)).toEqual([{ total: stored }]);

    await add(2n);
    expect(await direct.read(sql`SELECT total FROM ${tally}`)).toEqual([{ total: stored + 1n }]);
  },
);

test('a COMMIT of `write` is not reached when a statement before it is lost, which is then repeated', async () => {
  const url = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const database = await open(proxy.through(url));
  for (const loss of ['the message is lost', 'the answer is lost'] as const) {
    proxy.lose('UPDATE', loss);
    const [written] = await database.write(sql`UPDATE ${tally} SET total = total + 1 RETURNING total`);
    expect(written).toMatchObject({ count: 1 });
  }
  expect(await database.read(sql`SELECT total FROM ${tally}`)).toEqual([{ total: 2n }]);
});

test.each(['the answer is lost', 'the message is lost'] as const)(
  'an insert is confirmed and stored once when %s of its statement, which is its commit',
  async (loss) => {
    const url = await server.createDatabase();
    const proxy = await startProxy(server.port);
    const database = await open(proxy.through(url));
    await database.insert(NOTE); // Prepares the statement.
    proxy.lose('second', loss);
    expect(await database.insert({ id: 2n, text: 'second' })).toBe(loss === 'the message is lost');
    expect(await (await open(url)).read(all)).toEqual([NOTE, { id: 2n, text: 'second' }]);
  },
);

test('a COMMIT whose outcome the PostgreSQL server does not know is rejected as unavailable, and its transaction is not repeated', async () => {
  const url = await server.createDatabase();
  const database = await open(url);
  await server.query(
    url,
    `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '40003'; END $$;
     CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION lose()`,
  );
  let runs = 0;
  const adding = database.transaction(async ({ write }) => {
    runs += 1;
    await write(insertNote(1n, 'x'));
  });
  await expect(adding).rejects.toThrow(DatabaseUnavailable);
  expect(runs).toBe(1);
});

/** Opens a database of notes that is closed when the test ends. */
async function open(url: string, options: Partial<DatabaseOptions> = {}) {
  const database = await openNotes(url, options);
  cleanUp(database.close);
  return database;
}

/** Starts clients that read again and again, and records each outcome. */
function startReading<Result>(read: () => Promise<Result>) {
  const results: Result[] = [];
  const errors: unknown[] = [];
  let isOver = false;
  const clients = Array.from({ length: 10 }, async () => {
    while (!isOver) {
      try {
        results.push(await read());
      } catch (error) {
        errors.push(error);
        await sleep(5); // A read may fail at once.
      }
    }
  });
  return {
    /** Resolves when a number of further reads have succeeded. */
    progress: async (count: number) => {
      const goal = results.length + count;
      while (results.length < goal && errors.length < 10_000) await sleep(5);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      return { results, errors };
    },
  };
}
