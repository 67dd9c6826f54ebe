import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, type DatabaseOptions } from '../src/database.ts';
import { sql } from '../src/sql.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { insertNote, notes, openNotes, tally, type Note } from './support/notes.ts';
import { joinHosts, startPostgres, startPostgresPair } from '@contract-first/testing/postgres.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { startProxy } from './support/proxy.ts';
import { until } from '@contract-first/testing/until.ts';

const all = sql<Note>`SELECT id, text FROM ${notes} ORDER BY id`;
const NOTE = { id: 1n, text: 'x' };

const server = sharedPostgres();

const openThroughTwo = async (options: Partial<DatabaseOptions> = {}) => {
  const url = await server.createDatabase();
  const [first, second] = [await startProxy(server.port), await startProxy(server.port)];
  const database = await open(joinHosts(first.through(url), second.through(url)), options);
  await database.insert(NOTE);
  return { database, first, second };
};

test('with two PostgreSQL hosts, reads continue on the other host when a host dies, and no read fails', async () => {
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

test('with two PostgreSQL hosts, reads are rejected within the time limit when a host hangs, and later reads use the other host', async () => {
  const { database, first } = await openThroughTwo({ timeoutMs: 3_000 });
  expect(await database.read(all)).toEqual([NOTE]);
  first.stall();
  await expect(database.read(all)).rejects.toThrow(DatabaseUnavailable);
  const reading = startReading(() => database.read(all));
  await reading.progress(1);
  const { errors } = await reading.stop();
  expect(errors.filter((error) => !(error instanceof DatabaseUnavailable))).toEqual([]);
});

test('with two PostgreSQL hosts, a stream ends with an error when its host dies, and the next stream uses the other host', async () => {
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

test('a stream waits for a long query, but ends with an error when PostgreSQL hangs', async () => {
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

test('when the PostgreSQL primary dies, reads wait for the promotion of the standby, and see every confirmed write', async () => {
  const { primary, standby, promote } = await startPostgresPair();
  cleanUp(standby.stop);
  cleanUp(primary.stop);
  const url = await primary.createDatabase();
  const both = joinHosts(url, standby.url(new URL(url).pathname.slice(1)));
  // A promotion takes long on a busy machine.
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
    proxy.lose('COMMIT\0', loss); // With \0, since BEGIN may contain READ COMMITTED.
    await expect(add(1n)).rejects.toThrow(DatabaseUnavailable);
    await sleep(100); // Long enough to commit a repetition.
    expect(await direct.read(all)).toHaveLength(Number(stored));
    expect(await direct.read(sql`SELECT total FROM ${tally}`)).toEqual([{ total: stored }]);

    await add(2n);
    expect(await direct.read(sql`SELECT total FROM ${tally}`)).toEqual([{ total: stored + 1n }]);
  },
);

test('a `write` is repeated when a statement before its COMMIT is lost', async () => {
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
  'an insert, whose statement is its commit, is confirmed and stored once when %s',
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

test('a COMMIT with an outcome unknown to PostgreSQL is rejected as unavailable, and its transaction is not repeated', async () => {
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

/** Opens a database of notes; it is closed when the test ends. */
async function open(url: string, options: Partial<DatabaseOptions> = {}) {
  const database = await openNotes(url, options);
  cleanUp(database.close);
  return database;
}

/** Starts clients that read repeatedly, and records each outcome. */
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
        await sleep(5); // Avoids a busy loop if reads fail at once.
      }
    }
  });
  return {
    /** Resolves after a number of further successful reads. */
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
