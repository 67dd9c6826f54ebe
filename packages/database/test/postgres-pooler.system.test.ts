import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import pino from 'pino';
import { DatabaseUnavailable } from '../src/database.ts';
import { openTestStore } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { sql } from '../src/sql.ts';
import { insertNote, notes, openNotes, type Note } from './support/notes.ts';
import { startPgBouncer, type PgBouncer } from './support/pgbouncer.ts';
import { startPostgres, type Postgres } from '@contract-first/testing/postgres.ts';
import { runProcess } from '@contract-first/testing/service.ts';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres({ settings: { synchronous_commit: 'off', statement_timeout: '0' } });
});
afterAll(() => server.stop());

test.each(['', 'default_pool_size = 2', 'server_round_robin = 1'])(
  'through PgBouncer, pool_mode = session works (%s)',
  async (settings) => {
    const url = await server.createDatabase();
    await seeSettings(url);
    const { through } = await startPgBouncer(server, 'session', settings);
    const store = await openTestStore(through(url));
    const ids = Array.from({ length: 50 }, (_, index) => BigInt(index));
    for (const id of ids) await store.add({ id, name: 'a' });
    await Promise.all(ids.map((id) => store.add({ id, name: 'b' })));
    expect(await server.query(url, 'SELECT DISTINCT settings FROM seen')).toEqual([{ settings: 'on 5500ms' }]);
    expect(await store.list()).toHaveLength(100);
  },
);

test('through PgBouncer, pool_mode = session runs transactions, reads and streams, and leaks no settings to other clients', async () => {
  const url = await server.createDatabase();
  const bouncer = await startPgBouncer(server, 'session', 'default_pool_size = 4');
  const database = await openNotes(bouncer.through(url), { poolSize: 1 });
  const add = (id: bigint) => database.transaction(({ write }) => write(insertNote(id, 'x')));
  await Promise.all([1n, 2n, 3n].map(add));
  const all = sql<Note>`SELECT id, text FROM ${notes} ORDER BY id`;
  const rows = [1n, 2n, 3n].map((id) => ({ id, text: 'x' }));
  expect(await database.read(all)).toEqual(rows);
  expect(await Array.fromAsync(database.stream(all))).toEqual(rows);
  await database.close();
  const foreign = await openForeignSessions(bouncer, url, 4);
  const names = ['statement_timeout', 'idle_in_transaction_session_timeout', 'default_transaction_read_only'];
  for (const client of foreign) {
    const { rows } = await client.query(
      'SELECT setting FROM pg_settings WHERE name = ANY($1) AND setting <> reset_val',
      [names],
    );
    expect(rows).toEqual([]);
  }
});

test.each([
  ['transaction', ''],
  ['transaction', 'default_pool_size = 1'],
  ['transaction', 'server_round_robin = 1'],
  ['statement', ''],
] as const)('through PgBouncer, pool_mode = %s is refused at the start (%s)', async (mode, settings) => {
  const url = await server.createDatabase();
  const { through } = await startPgBouncer(server, mode, settings);
  const { code, stdout, stderr } = await runProcess('node', ['src/main.ts'], {
    DATABASE_URL: through(url),
    PORT: '0',
    API_TOKENS: 'test-token',
  });
  expect(code).toBe(1);
  expect(stdout + stderr).toMatch(
    /: a connection pooler in between switches sessions: connect to PostgreSQL directly, or set pool_mode = session$/m,
  );
});

test.each([1, 2, 3, 4])(
  'through PgBouncer, pool_mode = transaction is refused when it shares sessions with other clients (%i)',
  async (count) => {
    const url = await server.createDatabase();
    const bouncer = await startPgBouncer(server, 'transaction', 'server_round_robin = 1');
    await openForeignSessions(bouncer, url, count);
    for (let start = 0; start < 10; start += 1) {
      await expect(openTestStore(bouncer.through(url))).rejects.toThrow(/ a connection pooler in between switches/);
    }
    const foreign = await openForeignSessions(bouncer, url, count);
    const settings = await Promise.all(
      foreign.map((client) => client.query("SELECT current_setting('statement_timeout') AS timeout")),
    );
    expect(settings.flatMap(({ rows }) => rows as unknown[])).toEqual(foreign.map(() => ({ timeout: '0' })));
  },
);

test('through PgBouncer, nothing is stored without durability when the pooler begins to switch sessions, and the reason is logged', async () => {
  const url = await server.createDatabase();
  const bouncer = await startPgBouncer(server, 'session');
  const logged: { readonly msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as { msg: string }) });
  const store = await openTestStore(bouncer.through(url), { log, timeoutMs: 5_000 });
  await seeSettings(url);
  const added: string[] = [];
  const refused: unknown[] = [];
  const add = (name: string): Promise<unknown> =>
    store.add({ id: 1n, name }).then(
      () => added.push(name),
      (error: unknown) => refused.push(error),
    );
  await add('before');
  bouncer.setMode('transaction');
  const foreign = await openForeignSessions(bouncer, url, 3);
  for (let round = 0; round < 20 && refused.length === 0; round += 1) {
    // Each client takes a session from the pooler and returns it.
    await Promise.all(foreign.map((client) => client.query('SELECT pg_sleep(0.01)')));
    await Promise.all([add(`${String(round)}a`), add(`${String(round)}b`)]);
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every((error) => error instanceof DatabaseUnavailable)).toBe(true);
  await expect(store.check()).rejects.toThrow(DatabaseUnavailable);
  expect(logged.filter(({ msg }) => msg.startsWith('writes were refused: a connection pooler'))).toHaveLength(1);
  const kept = await server.query(url, "SELECT guest::json->>'name' AS name FROM guests");
  expect(kept.map(({ name }) => name).sort()).toEqual(added.sort());
  expect(await server.query(url, 'SELECT DISTINCT settings FROM seen')).toEqual([{ settings: 'on 5500ms' }]);

  bouncer.setMode('session');
  while (!(await store.add({ id: 1n, name: 'after' }).catch(() => false))) await sleep(50);
});

test.each(['RESET ALL', 'SET synchronous_commit = off', 'SET statement_timeout = 0'])(
  'through PgBouncer, nothing is stored in a session in which another client of the pooler ran %s',
  async (statement) => {
    const url = await server.createDatabase();
    const bouncer = await startPgBouncer(server, 'session', 'default_pool_size = 1');
    const store = await openTestStore(bouncer.through(url), { poolSize: 1 });
    const key = randomUUID();
    await store.add({ id: 1n, name: 'before' }, key);
    bouncer.setMode('transaction');
    while (!(await becomesShared(bouncer, url))) await store.add({ id: 1n, name: 'before' }, key);
    const [foreign] = await openForeignSessions(bouncer, url, 1);
    await foreign?.query(statement);
    await expect(store.add({ id: 1n, name: 'x' })).rejects.toThrow(DatabaseUnavailable);
    expect(await server.query(url, "SELECT guest::json->>'name' AS name FROM guests")).toEqual([{ name: 'before' }]);
  },
);

test('through PgBouncer, stored guests can be read in every mode', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await store.add({ id: 1n, name: 'Anna' });
  const { through } = await startPgBouncer(server, 'transaction');
  const outcome = await runProcess('node', ['scripts/export.ts'], { DATABASE_URL: through(url) });
  expect(outcome).toEqual({ code: 0, stdout: '{"id":1,"name":"Anna"}\n', stderr: '' });
});

/** Creates a trigger that records the settings with which each guest is stored. */
async function seeSettings(url: string): Promise<void> {
  await openTestStore(url).then((store) => store.close());
  await server.query(
    url,
    `CREATE TABLE seen (settings text);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO seen VALUES (current_setting('synchronous_commit') || ' ' || current_setting('statement_timeout'));
         RETURN NEW;
       END $$;
       CREATE TRIGGER see BEFORE INSERT ON guests FOR EACH ROW EXECUTE FUNCTION see()`,
  );
}

/** Returns whether the pooler's only session is free for another client. */
async function becomesShared({ through }: PgBouncer, url: string): Promise<boolean> {
  const client = new Client({ connectionString: through(url), query_timeout: 200 });
  client.on('error', () => undefined); // The connection is ended below.
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    client.connection.stream.destroy();
  }
}

async function openForeignSessions({ through }: PgBouncer, url: string, count: number): Promise<Client[]> {
  const clients = Array.from({ length: count }, () => new Client({ connectionString: through(url) }));
  cleanUp(async () => {
    await Promise.all(clients.map((client) => client.end()));
  });
  await Promise.all(clients.map((client) => client.connect()));
  // A transaction keeps its session, so concurrent transactions make the pooler open a session for each.
  await Promise.all(clients.map((client) => client.query('BEGIN')));
  await Promise.all(clients.map((client) => client.query('COMMIT')));
  return clients;
}
