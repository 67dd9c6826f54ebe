import pino from 'pino';
import { openTestStore, type TestStore } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { startPostgres } from '@contract-first/testing/postgres.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';

const ANNA = { id: 1n, name: 'Anna' };
const IVY = { id: 2n, name: 'Ivy' };

const server = sharedPostgres();

test('the schema of a PostgreSQL store is found again when another schema is created before it in the search path', async () => {
  const url = await server.createDatabase();
  const running = await openTestStore(url);
  await running.add(ANNA);
  await server.query(url, 'CREATE SCHEMA guests');
  const restarted = await openTestStore(url);
  await restarted.add(IVY);
  expect(await restarted.list()).toEqual([ANNA, IVY]);

  // Even a table of the same name does not affect an open store or its new connections.
  await server.query(url, 'CREATE TABLE guests.guests (LIKE public.guests INCLUDING ALL)');
  await reconnect(url, restarted);
  expect(await running.add(ANNA)).toBe(true);
  expect(await server.query(url, 'SELECT count(*) FROM public.guests')).toEqual([{ count: '4' }]);
  expect(await (await openTestStore(url)).list()).toHaveLength(4);
});

test('the schema of a PostgreSQL store stays the same for an open store when the search path changes', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await server.query(url, `CREATE SCHEMA other; ALTER DATABASE ${nameOf(url)} SET search_path = other`);
  await reconnect(url, store);
  const key = '00000000-0000-0000-0000-000000000001';
  expect([await store.add(ANNA, key), await store.add(ANNA, key)]).toEqual([true, false]);
  expect(await server.query(url, 'SELECT count(*) FROM public.guests')).toEqual([{ count: '2' }]);
});

test('the schema of a PostgreSQL store is the first existing one, with any name', async () => {
  const url = await server.createDatabase();
  await server.query(
    url,
    `CREATE SCHEMA "a ""b"""; ALTER DATABASE ${nameOf(url)} SET search_path = nowhere, "a ""b""", public`,
  );
  const store = await openTestStore(url);
  await store.add(ANNA);
  expect(await store.list()).toEqual([ANNA]);
  expect(await server.query(url, 'SELECT count(*) FROM "a ""b""".guests')).toEqual([{ count: '1' }]);
});

test('the start is refused with both names when two schemas have a PostgreSQL store', async () => {
  const url = await server.createDatabase();
  await (await openTestStore(url)).add(ANNA);
  await server.query(
    url,
    `CREATE SCHEMA guests; CREATE TABLE guests.guest_book_schema AS TABLE public.guest_book_schema;
       CREATE TABLE guests.guests (LIKE public.guests INCLUDING ALL)`,
  );
  const want =
    /^the database .* has several guest books, in the schemas "guests" and "public": .*ALTER ROLE "guests" SET search_path = /;
  await expect(openTestStore(url)).rejects.toThrow(want);
  await server.query(url, 'ALTER SCHEMA guests RENAME TO guests_old');
  expect(await (await openTestStore(url)).list()).toEqual([ANNA]);
});

test('reading is refused when two schemas have a PostgreSQL store', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await server.query(url, 'CREATE SCHEMA guests; CREATE TABLE guests.guest_book_schema (version integer)');
  await expect(store.list()).rejects.toThrow(/ has several guest books, in the schemas "guests" and "public"/);
});

test('the start and reading are refused when an unrelated role owns the tables of a PostgreSQL store', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await server.query(url, 'GRANT SELECT ON guest_book_schema TO clerk; GRANT SELECT, INSERT ON guests TO clerk');
  await server.query(url, 'GRANT CREATE ON SCHEMA public TO mallory; ALTER TABLE guests OWNER TO mallory');
  const refusal = (role: string): RegExp =>
    RegExp(
      `^the database .* has a table "public"\\.guests that belongs to "mallory", and "${role}" is not a member of that role: ` +
        `ALTER TABLE "public"\\.guests OWNER TO "${role}", or GRANT "mallory" TO "${role}" if it can be trusted$`,
    );
  // A superuser is implicitly a member of every role.
  await expect(openTestStore(url)).rejects.toThrow(refusal('guests'));
  await expect(store.list()).rejects.toThrow(refusal('guests'));
  await expect(openTestStore(asClerk(url))).rejects.toThrow(refusal('clerk'));

  await server.query(url, 'GRANT mallory TO gardeners; GRANT gardeners TO clerk');
  expect(await (await openTestStore(asClerk(url))).add(ANNA)).toBe(true);
  await server.query(url, 'REVOKE mallory FROM gardeners');
  await expect(openTestStore(asClerk(url))).rejects.toThrow(refusal('clerk'));
  await server.query(url, `ALTER DATABASE ${nameOf(url)} OWNER TO mallory`);
  expect(await (await openTestStore(asClerk(url))).add(ANNA)).toBe(true);
  expect(await store.list()).toHaveLength(2);
});

test('the start is refused when an unrelated role has put a PostgreSQL store or an empty schema first in the search path', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await server.query(url, 'GRANT SELECT ON guest_book_schema TO clerk; GRANT SELECT, INSERT ON guests TO clerk');
  await server.query(
    url,
    'CREATE SCHEMA clerk AUTHORIZATION mallory; GRANT ALL ON SCHEMA clerk TO clerk; CREATE TABLE clerk.guests (name text)',
  );
  expect(await (await openTestStore(asClerk(url))).add(ANNA)).toBe(true);
  expect(await store.list()).toEqual([ANNA]);
  await server.query(url, 'CREATE TABLE clerk.guest_book_schema (version integer)');
  await expect(openTestStore(asClerk(url))).rejects.toThrow(/ has a schema "clerk" that belongs to "mallory", /);

  const empty = await server.createDatabase();
  await server.query(empty, 'CREATE SCHEMA clerk AUTHORIZATION mallory; GRANT ALL ON SCHEMA clerk TO clerk');
  await expect(openTestStore(asClerk(empty))).rejects.toThrow(
    / has a schema "clerk" that belongs to "mallory", .*: ALTER SCHEMA "clerk" OWNER TO "clerk", or GRANT "mallory" TO /,
  );
  await server.query(empty, 'CREATE TABLE clerk.guests (name text)');
  await expect(openTestStore(asClerk(empty))).rejects.toThrow(/ has a table guests of another program$/);
});

test('the schema of a PostgreSQL store must exist and allow the user to create tables', async () => {
  const url = await server.createDatabase();
  await expect(openTestStore(asClerk(url))).rejects.toThrow(
    /^the database postgres:\/\/clerk@.* cannot be used: this user may not create tables in the schema "public": GRANT CREATE ON SCHEMA "public".*\(42501\)$/,
  );
  await server.query(url, `ALTER DATABASE ${nameOf(url)} SET search_path = nowhere`);
  await expect(openTestStore(url)).rejects.toThrow(
    /^the database .* has no schema that "guests" may use on its search_path: create one, or GRANT [^\n]*$/,
  );
});

/** Terminates all connections, and waits until the store has a new connection. */
async function reconnect(url: string, store: TestStore): Promise<void> {
  await server.query(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await store.add(IVY);
}

test.each([
  [['fsync'], 'fsync'],
  [['full_page_writes'], 'full_page_writes'],
  [['fsync', 'full_page_writes'], 'fsync and full_page_writes'],
])('a PostgreSQL server that may lose commits causes a warning (%j)', async (settings, names) => {
  const server = await startPostgres({ settings: Object.fromEntries(settings.map((name) => [name, 'off'])) });
  cleanUp(server.stop);
  const logged: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[number]) });
  const store = await openTestStore(server.url(), { log });
  expect(await store.add(ANNA)).toBe(true);
  await store.close();
  expect(logged).toEqual([expect.objectContaining({ level: 40 })]);
  expect(logged[0]?.msg).toBe(
    `the database server has ${names} set to off: a crash of its machine may lose stored rows or damage the ` +
      `database; set ${names} to on`,
  );
});

test('a PostgreSQL server that does not lose commits causes no warning', async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  await openTestStore(await sharedPostgres().createDatabase(), { log });
  expect(logged).toEqual([]);
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function asClerk(url: string): string {
  return url.replace(/\/\/.*@/, '//clerk:x@');
}
