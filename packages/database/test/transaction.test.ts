import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { cleanUp, temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import {
  ConstraintViolated,
  DatabaseUnavailable,
  either,
  fromBuilder,
  openDatabase,
  parseDatabaseUrl,
  sql,
  table,
  type Database,
  type Query,
} from '../src/index.ts';

const TIMEOUT_MS = 10_000;
// The time limit of writes. SQLite ends a transaction after one second, which leaves one second for other writes.
const LIMIT_MS = 2_000;
const TRAINS = [
  'CREATE TABLE trains (id bigint PRIMARY KEY, seats bigint NOT NULL, CONSTRAINT some_seats CHECK (seats >= 0))',
  'CREATE TABLE bookings (seat bigint UNIQUE, name text, train bigint REFERENCES trains (id), PRIMARY KEY (name, train))',
];
const [trains, bookings] = [table('trains'), table('bookings')];
const addTrain = sql`INSERT INTO ${trains} (id, seats) VALUES (1, 1)`;
const readSeats = sql<{ readonly seats: bigint }>`SELECT seats FROM ${trains} WHERE id = 1`;
const takeSeat = sql`UPDATE ${trains} SET seats = seats - 1 WHERE id = 1`;
const book = (name: string, seat = 1n, train = 1n) =>
  sql`INSERT INTO ${bookings} (name, seat, train) VALUES (${name}, ${seat}, ${train})`;

/** Opens a database, or another connection to it. */
async function open(url: string, timeoutMs = TIMEOUT_MS): Promise<Database> {
  const parsed = parseDatabaseUrl(url);
  if ('problems' in parsed) throw new Error(parsed.problems.join());
  const migrations = { sqlite: [TRAINS.join(';')], postgres: [() => TRAINS.join(';')] };
  const definition = { name: 'train', tag: 'Trai', tables: ['trains', 'bookings'], migrations };
  const options = { poolSize: 4, timeoutMs, queueLimitBytes: 1e7, log: pino({ level: 'silent' }) };
  const database = await openDatabase(parsed.location, definition, options);
  cleanUp(database.close);
  return database;
}

async function openWithTrain(url: string): Promise<Database> {
  const database = await open(url);
  await database.write(addTrain);
  return database;
}

const REFUSED = [
  sql`COMMIT`,
  sql`end`,
  sql` /* now */ rollback`,
  sql`-- now
    BEGIN`,
  sql`;SAVEPOINT a`,
  sql`SET TRANSACTION READ ONLY`,
  sql`PREPARE TRANSACTION 'a'`,
  sql`/* a /* comment */ in a comment */ COMMIT`,
  sql`-- a carriage return ends a comment of PostgreSQL, but not of SQLite\rSELECT 1
    ROLLBACK`,
  sql`COPY bookings FROM STDIN`,
  sql`copy (SELECT 1) TO /* the client */ stdout`,
  sql`PRAGMA query_only = 1`,
  sql`ATTACH ':memory:' AS other`,
  sql`CREATE TEMP TABLE bookings (seat bigint, name text, train bigint)`,
  sql`create or replace temporary view bookings as select 1`,
  sql`SET search_path = pg_catalog`,
  sql`SET SESSION default_transaction_read_only = on`,
  sql`RESET ALL`,
  sql`DISCARD ALL`,
  sql`PREPARE a AS SELECT 1`,
  sql`DECLARE a CURSOR WITH HOLD FOR SELECT 1`,
  sql`LISTEN a`,
  sql`CREATE TABLE temp.bookings (seat bigint, name text, train bigint)`,
  sql`CREATE TABLE IF NOT EXISTS "pg_temp".bookings (seat bigint, name text, train bigint)`,
  sql`CREATE OR REPLACE TRIGGER temp.refuse BEFORE INSERT ON main.bookings BEGIN SELECT RAISE(IGNORE); END`,
  sql`SELECT 1 AS seat INTO TEMP bookings`,
  sql`WITH one AS (SELECT 1 AS seat) SELECT seat INTO pg_temp.bookings FROM one`,
  sql`SELECT set_config('search_path', lower(${'PG_CATALOG'}), false)`,
  sql`SELECT pg_advisory_lock(1)`,
  sql`SELECT pg_try_advisory_lock_shared(1)`,
  sql`CREATE /* for now */ TEMP SEQUENCE seats`,
  sql`CREATE TEMP TABLE bookings (name text DEFAULT 'on commit drop')`,
  sql`SELECT 1 AS seat INTO LOCAL TEMP "all bookings"`,
  sql`SELECT 1 AS seat INTO UNLOGGED TABLE "pg_temp".bookings`,
  sql`SELECT pg_catalog.set_config('search_path', lower(trim('PG_CATALOG')), false)`,
  sql`SELECT "pg_advisory_lock" -- for now
    (1)`,
];
/** Statements that look like those above. */
const ALLOWED: readonly (readonly [sqlite: Query, postgres?: Query])[] = [
  [sql`CREATE TABLE temp (a bigint)`],
  [sql`INSERT INTO temp (a) VALUES (1)`],
  [sql`WITH one AS (SELECT 1 AS a) INSERT INTO temp SELECT a FROM one`],
  [sql`CREATE VIEW other AS SELECT temp.a FROM temp`],
  [sql`CREATE INDEX by_a ON temp (a)`],
  [sql`SELECT 1`, sql`SELECT set_config('search_path', current_setting('search_path'), true)`],
  [sql`SELECT 1`, sql`SELECT pg_advisory_xact_lock(1)`],
  [sql`SELECT 'it''s put into temp storage' AS "into temp storage" -- into temp storage`],
  [sql`SELECT 'pg_advisory_lock(1)' /* pg_advisory_lock(1) */`],
  [sql`SELECT 1`, sql`SELECT E'it\\'s pg_advisory_lock(1)'`],
  [sql`SELECT 1`, sql`SET/* here */LOCAL search_path = pg_catalog`],
  [sql`WITH one AS (SELECT 1 AS a) INSERT OR REPLACE INTO temp SELECT a FROM one WHERE a = 0`, sql`SELECT 1`],
  [
    sql`SELECT 1`,
    sql`WITH one AS (SELECT 1 AS a) MERGE INTO temp AS old USING one ON old.a = 0 WHEN MATCHED THEN DO NOTHING`,
  ],
  [sql`SELECT 1`, sql`CREATE FUNCTION ${table('pg_advisory_lock')}(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1'`],
  [sql`SELECT 1`, sql`SELECT ${table('pg_advisory_lock')}(1)`],
];

const namesOf = async (database: Database) =>
  (await database.read(sql<{ readonly name: string }>`SELECT name FROM ${bookings} ORDER BY name`)).map(
    ({ name }) => name,
  );

describeStores((createDatabase) => {
  test('a transaction sees its own writes, and resolves with the value of its work', async () => {
    const database = await openWithTrain(await createDatabase());
    const seats = await database.transaction(async ({ read, write }) => {
      const [taken] = await write(takeSeat, book('Ann'));
      expect(taken?.count).toBe(1);
      return read(readSeats);
    });
    expect(seats).toEqual([{ seats: 0n }]);
    expect(await database.read(readSeats)).toEqual(seats);
    expect(await namesOf(database)).toEqual(['Ann']);
  });

  test('statements of a query builder run in the transaction, with bigints', async () => {
    const database = await openWithTrain(await createDatabase());
    const built = (verb: (trains: string) => string, parameter: bigint) =>
      fromBuilder<{ readonly seats: bigint }>((engine, schema) => ({
        sql: `${verb(schema === undefined ? 'trains' : `"${schema}".trains`)} ${engine === 'sqlite' ? '?' : '$1'}`,
        parameters: [parameter],
      }));
    const select = built((name) => `SELECT seats FROM ${name} WHERE id =`, 1n);
    const failed = database.transaction(async ({ read, write }) => {
      await write(built((name) => `UPDATE ${name} SET seats =`, 3n));
      expect(await read(select)).toEqual([{ seats: 3n }]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await database.read(select)).toEqual([{ seats: 1n }]);
    const part = database.read(sql`SELECT ${1n} FROM (${select})`);
    await expect(part).rejects.toThrow('a built statement cannot be a part');
  });

  test('a transaction whose work throws rejects with the same error, and writes nothing', async () => {
    const database = await openWithTrain(await createDatabase());
    const soldOut = new Error('sold out');
    const booking = database.transaction(async ({ write }) => {
      await write(takeSeat, book('Ann'));
      throw soldOut;
    });
    await expect(booking).rejects.toBe(soldOut);
    expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
    expect(await namesOf(database)).toEqual([]);
    await database.write(book('Bea'));
    expect(await namesOf(database)).toEqual(['Bea']);
  });

  test('if twenty transactions of two clients try to take the last seat, one succeeds', async () => {
    const url = await createDatabase();
    const clients = [await openWithTrain(url), await open(url)];
    const bookSeat = (database: Database, name: string) =>
      database.transaction(async ({ read, write }) => {
        const [train] = await read(readSeats);
        if (train?.seats === 0n) return 'sold out';
        // The application computes the new value from the value that it read.
        await write(sql`UPDATE ${trains} SET seats = ${(train?.seats ?? 0n) - 1n} WHERE id = 1`, book(name));
        return 'booked';
      });
    const names = Array.from({ length: 20 }, (_, index) => String(index));
    const results = await Promise.all(
      names.flatMap((name, index) => clients.slice(index % 2, (index % 2) + 1).map((client) => bookSeat(client, name))),
    );
    expect(results.filter((result) => result === 'booked')).toHaveLength(1);
    expect(await clients[0]?.read(readSeats)).toEqual([{ seats: 0n }]);
  });

  test('if two transactions write after reading the same state, the later sees the writes of the earlier', async () => {
    const url = await createDatabase();
    const clients = [await openWithTrain(url), await open(url)];
    // Allows at most one booking, a rule that no constraint enforces. Both may read before either writes.
    const bookFirst = (database: Database, name: string, seat: bigint) =>
      database.transaction(async ({ read, write }) => {
        const present = await read(sql`SELECT 1 AS one FROM ${bookings}`);
        await sleep(20);
        if (present.length === 0) await write(book(name, seat));
      });
    await Promise.all(clients.map((client, index) => bookFirst(client, String(index), BigInt(index))));
    expect(await clients[0]?.read(sql`SELECT 1 AS one FROM ${bookings}`)).toHaveLength(1);
  });

  test.each([
    ['a primary key', 'bookings_pkey', 'unique', [book('Ann', 1n), book('Ann', 2n)]],
    ['a unique column', 'bookings_seat_key', 'unique', [book('Ann'), book('Bea')]],
    ['a check', 'some_seats', 'check', [takeSeat, takeSeat]],
  ] as const)(
    'a violated constraint is an error with its kind and name: %s',
    async (_name, constraint, kind, statements) => {
      const database = await openWithTrain(await createDatabase());
      const want = { kind, constraint };
      const failed = database.write(...statements);
      await expect(failed).rejects.toMatchObject(want);
      await expect(failed).rejects.toBeInstanceOf(ConstraintViolated);
      await expect(database.transaction(({ write }) => write(...statements))).rejects.toMatchObject(want);
      expect(await namesOf(database)).toEqual([]);
    },
  );

  test('a violated constraint is an error with its kind and name: a unique index', async () => {
    const database = await openWithTrain(await createDatabase());
    await database.write(
      sql`CREATE TABLE places (a bigint, b bigint)`,
      sql`CREATE UNIQUE INDEX by_place ON places (a, b)`,
    );
    const insert = sql`INSERT INTO places (a, b) VALUES (1, 2)`;
    await expect(database.write(insert, insert)).rejects.toMatchObject({ kind: 'unique', constraint: 'by_place' });
  });

  test.each([
    ['a column', 'named', sql`CREATE TABLE places (a bigint NOT NULL CONSTRAINT named UNIQUE, b text, c bigint)`],
    [
      'a table',
      'a "b"',
      sql`CREATE TABLE places (a bigint, b text, c bigint, CHECK (a < c),
        CONSTRAINT other UNIQUE (b, c), CONSTRAINT "a ""b""" UNIQUE (A, b))`,
    ],
    [
      'a primary key',
      'pair',
      sql`CREATE TABLE places (a bigint DEFAULT (2), -- CONSTRAINT key UNIQUE (a, b)
        b text DEFAULT 'CONSTRAINT', c bigint, constraint pair primary key (a, b))`,
    ],
    [
      'none, after a check with a name',
      'places_a_key',
      sql`CREATE TABLE places (c bigint CONSTRAINT other UNIQUE, b text, a bigint CONSTRAINT positive CHECK (a > 0) UNIQUE)`,
    ],
  ])('a violated constraint is an error with the name in the table: of %s', async (_name, constraint, create) => {
    const database = await openWithTrain(await createDatabase());
    const insert = (c: bigint) => sql`INSERT INTO places (a, b, c) VALUES (1, 'b', ${c})`;
    await database.write(create, insert(2n));
    await expect(database.write(insert(3n))).rejects.toMatchObject({ kind: 'unique', constraint });
  });

  test('a violated constraint is an error with its kind: a foreign key', async () => {
    const database = await openWithTrain(await createDatabase());
    const failed = await database.write(book('Ann', 1n, 2n)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConstraintViolated);
    expect(failed).toMatchObject({ kind: 'foreign key' });
  });

  test('the error of a trigger has its message', async () => {
    const database = await openWithTrain(await createDatabase());
    const create = either({
      sqlite: sql`CREATE TRIGGER refuse BEFORE INSERT ON bookings BEGIN SELECT RAISE(ABORT, 'sold out'); END`,
      postgres: sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''sold out''; END'`,
    });
    const use = sql`CREATE TRIGGER refuse BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION refuse()`;
    await database.write(create, either({ sqlite: sql`SELECT 1`, postgres: use }));
    await expect(database.write(book('Ann'))).rejects.toThrow(/^sold out$/);
    await expect(database.transaction(({ write }) => write(book('Ann')))).rejects.toThrow(/^sold out$/);
  });

  test('the work of a transaction can replace the error of a violated constraint', async () => {
    const database = await openWithTrain(await createDatabase());
    await database.write(book('Ann'));
    const taken = new Error('409');
    const booking = database.transaction(async ({ write }) => {
      await write(takeSeat);
      await write(book('Bea')).catch((error: unknown) => {
        throw error instanceof ConstraintViolated ? taken : error;
      });
    });
    await expect(booking).rejects.toBe(taken);
    expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
  });

  test('a transaction with a failed statement rejects, even if the work continues', async () => {
    const database = await openWithTrain(await createDatabase());
    await database.write(book('Ann'));
    const booking = database.transaction(async ({ write }) => {
      await write(book('Ann')).catch(() => undefined);
      await write(takeSeat).catch(() => undefined);
    });
    await expect(booking).rejects.toBeInstanceOf(ConstraintViolated);
    await expect(database.transaction(({ read }) => read(sql`SELEKT`))).rejects.toThrow(/SELEKT/);
    expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
  });

  test('a transaction that violates a deferred constraint at its end rejects, and the next transaction succeeds', async () => {
    const database = await openWithTrain(await createDatabase());
    await database.write(
      sql`CREATE TABLE seats (id bigint PRIMARY KEY, train bigint REFERENCES trains (id) DEFERRABLE INITIALLY DEFERRED)`,
    );
    const addSeat = (train: bigint) => sql`INSERT INTO seats (id, train) VALUES (1, ${train})`;
    await expect(database.transaction(({ write }) => write(addSeat(2n)))).rejects.toMatchObject({
      kind: 'foreign key',
    });
    expect(await database.transaction(({ write }) => write(addSeat(1n)))).toMatchObject([{ count: 1 }]);
  });

  test('work that throws synchronously rejects the transaction, and the next transaction succeeds', async () => {
    const database = await openWithTrain(await createDatabase());
    const bug = new Error('a bug');
    const failed = database.transaction(() => {
      throw bug;
    });
    await expect(failed).rejects.toBe(bug);
    expect(await database.transaction(({ read }) => read(readSeats))).toEqual([{ seats: 1n }]);
  });

  test('statements that are sent together run in order, and belong to the transaction even if not awaited', async () => {
    const database = await openWithTrain(await createDatabase());
    await database.transaction(({ write }) => {
      void write(book('Ann', 1n));
      void write(sql`UPDATE ${bookings} SET name = 'Bea'`);
      return Promise.resolve();
    });
    expect(await namesOf(database)).toEqual(['Bea']);
  });

  test.each([
    ['transaction', (database: Database) => database.transaction(({ write }) => write(book('Bea', 2n)))],
    ['write', (database: Database) => database.write(book('Bea', 2n))],
    ['check', (database: Database) => database.check()],
  ])("the work of a transaction cannot use the database's function %s, and can continue", async (name, use) => {
    const database = await openWithTrain(await createDatabase());
    const outer = database.transaction(async ({ write }) => {
      await write(book('Ann'));
      await use(database);
    });
    await expect(outer).rejects.toThrow('this call would not be part of the transaction');
    expect(await namesOf(database)).toEqual([]);
    await database.transaction(async ({ write }) => {
      await write(book('Ann'));
      await use(database).catch(() => undefined);
    });
    // Concurrent or consecutive transactions of one caller are not nested.
    await Promise.all([use(database), database.transaction(({ read }) => read(readSeats))]);
    expect(await namesOf(database)).toEqual(name === 'check' ? ['Ann'] : ['Ann', 'Bea']);
  });

  test('work that continues after its time limit cannot write with other functions of the database', async () => {
    const url = await createDatabase();
    const [database, impatient] = [await openWithTrain(url), await open(url, LIMIT_MS)];
    const end = Promise.withResolvers<unknown>();
    const slow = impatient.transaction(async () => {
      await sleep(LIMIT_MS + 500);
      await impatient.write(book('Ann')).catch(end.resolve);
    });
    await expect(slow).rejects.toThrow(/took longer than|did not answer within/);
    expect(await end.promise).toMatchObject({
      message: expect.stringContaining('would not be part of the transaction'),
    });
    expect(await namesOf(database)).toEqual([]);
  });

  test('a statement that controls transactions or has effects beyond them is refused: nothing is written, and other writes succeed', async () => {
    const database = await openWithTrain(await createDatabase());
    const problem = / is not allowed in a statement/;
    for (const query of REFUSED) {
      const own = database.transaction(({ write }) => write(book('Ann'), query));
      await expect(own).rejects.toThrow(problem);
      await expect(database.write(book('Ann'), query)).rejects.toThrow(problem);
      await expect(database.read(query)).rejects.toThrow(problem);
      await expect(database.stream(query)[Symbol.asyncIterator]().next()).rejects.toThrow(problem);
    }
    await database.write(book('Bea'));
    expect(await namesOf(database)).toEqual(['Bea']);
  });

  test('a statement that only looks like one that is refused is executed', async () => {
    const database = await openWithTrain(await createDatabase());
    for (const [sqlite, postgres = sqlite] of ALLOWED) await database.write(either({ sqlite, postgres }));
    expect(await database.read(sql`SELECT count(*) AS count FROM other`)).toEqual([{ count: 2n }]);
  });

  test('several statements in one text are refused: nothing is written, and other writes succeed', async () => {
    const database = await openWithTrain(await createDatabase());
    const both = sql`INSERT INTO bookings (name) VALUES ('Ann'); INSERT INTO bookings (name) VALUES ('Bea')`;
    const problem = /several statements|multiple commands/;
    await expect(database.write(both)).rejects.toThrow(problem);
    await expect(database.transaction(({ write }) => write(both))).rejects.toThrow(problem);
    const select = sql`SELECT 1 AS a; SELECT 2 AS a`;
    await expect(database.read(select)).rejects.toThrow(problem);
    await expect(database.stream(select)[Symbol.asyncIterator]().next()).rejects.toThrow();
    await database.write(book('Cid'));
    expect(await namesOf(database)).toEqual(['Cid']);
  });

  test('read refuses a query that would write, with an error that does not mean an outage', async () => {
    const database = await openWithTrain(await createDatabase());
    const problem = 'a query of `read` must not change anything';
    for (const query of [book('Ann'), sql`DELETE FROM ${trains} RETURNING id`, sql`CREATE TABLE other (id bigint)`]) {
      await expect(database.read(query)).rejects.toThrow(problem);
      await expect(database.read(query)).rejects.not.toBeInstanceOf(DatabaseUnavailable);
    }
    expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
    await database.write(book('Bea'));
    expect(await namesOf(database)).toEqual(['Bea']);
  });

  test('comments are not part of a statement', async () => {
    const database = await openWithTrain(await createDatabase());
    await database.write(
      book('Ann'),
      sql`-- Set the name, then commit.
        /* SET */ UPDATE ${bookings} /* and */ SET name = 'Bea'; -- end`,
    );
    expect(await namesOf(database)).toEqual(['Bea']);
  });

  test('a statement that must not run in a transaction is refused at once, and other writes succeed', async () => {
    const database = await openWithTrain(await createDatabase());
    const vacuum = database.write(book('Ann'), sql`VACUUM`);
    await expect(vacuum).rejects.toThrow(/VACUUM/);
    await expect(vacuum).rejects.not.toBeInstanceOf(DatabaseUnavailable);
    await database.write(book('Bea'));
    expect(await namesOf(database)).toEqual(['Bea']);
  });

  test('a transaction whose statement takes too long rejects at its time limit; later writes succeed', async () => {
    const url = await createDatabase();
    const [database, impatient] = [await openWithTrain(url), await open(url, LIMIT_MS)];
    const rows = either({
      sqlite: sql`WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x % 100000 = 0`,
      postgres: sql`SELECT pg_sleep(600)`,
    });
    const slow = impatient.transaction(async ({ read, write }) => {
      await write(takeSeat);
      await read(rows);
    });
    await expect(slow).rejects.toThrow(/(took longer than|did not answer within) .* running (WITH|SELECT)/);
    await impatient.write(book('Bea'));
    expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
  });

  test('a transaction that takes too long rejects and writes nothing; later writes succeed', async () => {
    const url = await createDatabase();
    const [database, impatient] = [await openWithTrain(url), await open(url, LIMIT_MS)];
    const end = Promise.withResolvers<unknown>();
    const slow = impatient.transaction(async ({ write }) => {
      await write(takeSeat);
      await sleep(LIMIT_MS + 500);
      await write(book('Ann')).catch(end.resolve);
    });
    const other = impatient.write(book('Bea'));
    await expect(slow).rejects.toThrow(
      /(took longer than|did not answer within) .* running the work of a transaction$/,
    );
    expect((await other)[0]?.count).toBe(1);
    expect(await end.promise).toMatchObject({ message: 'the transaction has ended: await all of its statements' });
    expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
    expect(await namesOf(database)).toEqual(['Bea']);
  });
});

test('a transaction whose statement SQLite cannot stop rejects at its time limit with the statement; other writes wait or are unavailable', async () => {
  const url = temporaryDatabase();
  const [database, impatient] = [await openWithTrain(url), await open(url, LIMIT_MS)];
  const long = sql`UPDATE trains SET seats =
    (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${10_000_000n}) SELECT max(i) FROM n)`;
  const slow = impatient.transaction(({ write }) => write(long));
  await expect(slow).rejects.toThrow(
    /^the transaction took longer than \d+ ms; nothing was .* running UPDATE trains SET/,
  );
  let written: unknown;
  while (written === undefined) {
    written = await impatient.write(book('Ann')).catch((error: unknown) => {
      expect(error).toBeInstanceOf(DatabaseUnavailable);
    });
    await sleep(10);
  }
  expect(await database.read(readSeats)).toEqual([{ seats: 1n }]);
  expect(await namesOf(database)).toEqual(['Ann']);
});
