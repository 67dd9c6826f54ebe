import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, tagNumberOf } from '../src/database.ts';
import { guestTables } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { listGuests, openTestReader, openTestStore } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { makeCertificates } from '@contract-first/testing/certificates.ts';
import { joinHosts, startPostgres } from '@contract-first/testing/postgres.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { startProxy } from './support/proxy.ts';
import { until } from '@contract-first/testing/until.ts';

const server = sharedPostgres();

test('at the start, a PostgreSQL store creates the tables once, when ten instances start at the same time', async () => {
  const url = await server.createDatabase();
  const stores = await Promise.all(Array.from({ length: 10 }, () => openTestStore(url)));
  await Promise.all(stores.map((store) => store.add({ id: 1n, name: 'x' })));
  expect(await listGuests(url)).toHaveLength(10);
  expect(await server.query(url, 'SELECT version FROM guest_book_schema')).toEqual([
    { version: String(guestTables.migrations.postgres.length) },
  ]);
});

test('at the start, a PostgreSQL store needs only SELECT and INSERT when the tables exist', async () => {
  const url = await server.createDatabase();
  await openTestStore(url);
  await server.query(
    url,
    `GRANT SELECT ON guest_book_schema TO clerk;
       GRANT SELECT, INSERT ON guests TO clerk`,
  );
  const store = await openTestStore(url.replace(/\/\/.*@/, '//clerk:x@'));
  expect(await store.add({ id: 1n, name: 'x' })).toBe(true);
  const empty = (await server.createDatabase()).replace(/\/\/.*@/, '//clerk:x@');
  await expect(openTestStore(empty)).rejects.toThrow(
    /^the database postgres:\/\/clerk@.* cannot be used: .*\(42501\)$/,
  );
});

test('at the start, a PostgreSQL store refuses the database of another application, and does not change it', async () => {
  const newer = await server.createDatabase();
  await openTestStore(newer);
  await server.query(newer, 'UPDATE guest_book_schema SET version = 99');
  await expect(openTestStore(newer)).rejects.toThrow(/^the database .* was written by a newer version of the service$/);
  await expect(openTestReader(newer)).rejects.toThrow(DatabaseUnavailable);

  const foreign = await server.createDatabase();
  await server.query(foreign, 'CREATE TABLE guests (name text)');
  await expect(openTestStore(foreign)).rejects.toThrow(/^the database .* has a table guests of another program$/);
  expect(await server.query(foreign, "SELECT to_regclass('guest_book_schema') AS name")).toEqual([{ name: null }]);

  await server.query(server.url(), "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  await expect(openTestStore(server.url('latin'))).rejects.toThrow(/^the database .* must have the encoding UTF8$/);
});

test('at the start, a PostgreSQL store reports the reason in one line without the password', async () => {
  const url = server.url();
  const nobody = 'postgres://guests:pass:word@127.0.0.1:1/nowhere';
  for (const [given, want] of [
    [url.replace(/guests:[^@]*@/, 'guests:wrong@'), /127\.0\.0\.1:\d+: the password is wrong.*\(28P01\)/],
    [url.replace(/guests:[^@]*@/, 'guests@'), /it requires a password/],
    [server.url('nowhere'), /no such database \(3D000\)/],
    [nobody, /connection refused \(ECONNREFUSED\)/],
    [
      joinHosts(server.url('nowhere').replace(/:\d+\//, ':1/'), server.url()),
      /ECONNREFUSED\); 127\.0\.0\.1:\d+: there is no .*\(3D000\)/,
    ],
    ['postgres://u:p@no-such-host.invalid/db', /no-such-host\.invalid:5432: .*\((?:ENOTFOUND|EAI_AGAIN)\)/],
    [`${url}?sslmode=require`, /it does not support TLS; sslmode=disable/],
    [`${url}?sslrootcert=/nowhere/root.pem`, /^DATABASE_URL: the file \/nowhere\/root\.pem .* \(ENOENT\)$/],
    [
      `${url}?sslrootcert=${import.meta.filename}`,
      /^DATABASE_URL: the certificates and key of sslrootcert, .* cannot be used/,
    ],
  ] as const) {
    const error: unknown = await openTestStore(given, { timeoutMs: 500 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as Error).message).toMatch(want);
    expect((error as Error).message).not.toMatch(/\n|ss:|word@|wrong@/);
  }
});

test('a PostgreSQL store is not opened for reading before it exists', async () => {
  const url = await server.createDatabase();
  await expect(openTestReader(url)).rejects.toThrow(/^there is no guest book in postgres:\/\/guests@/);
  await expect(openTestReader(url)).rejects.toThrow(DatabaseUnavailable);
});

test('the start waits for a PostgreSQL server that is starting', async () => {
  const server = await startPostgres();
  cleanUp(server.stop);
  await server.kill('SIGINT');
  const opening = openTestStore(server.url());
  await sleep(300);
  await server.start();
  expect(await (await opening).add({ id: 1n, name: 'x' })).toBe(true);
});

test('a start that waits for the migration of another process fails when the server hangs', async () => {
  const url = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const lock = `SELECT pg_advisory_lock(${String(tagNumberOf(guestTables.tag))}), pg_sleep(600)`;
  const locking = server.query(url, lock).catch(() => undefined);
  const waitingFor = (event: string) => async (): Promise<unknown> => {
    const sessions = 'SELECT count(*) FROM pg_stat_activity WHERE wait_event = $1 AND datname = current_database()';
    return (await server.query(url, sessions, [event]))[0]?.['count'];
  };
  await until(waitingFor('PgSleep'), '1'); // It has acquired the lock.
  const opening = openTestStore(proxy.through(url), { timeoutMs: 2_000 });
  await until(waitingFor('advisory'), '1');
  proxy.stall();
  await expect(opening).rejects.toThrow(/^the database .* cannot be used: the connection to the database was lost$/);
  await server.query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  await locking;
});

test('TLS follows sslmode', async () => {
  const certificates = makeCertificates();
  const { root: otherRoot } = makeCertificates();
  const server = await startPostgres({ tls: certificates });
  cleanUp(server.stop);
  await server.query(server.url(), 'CREATE DATABASE with_certificate');
  const url = await server.createDatabase();
  const byName = url.replace('@127.0.0.1', '@localhost');
  const root = `sslrootcert=${certificates.root}`;

  const tls = async (given: string): Promise<string | undefined> => {
    const name = randomUUID(); // The server lists a session for a moment after its end.
    const store = await openTestStore(`${given}&application_name=${name}`);
    await store.add({ id: 1n, name: 'x' });
    const [row] = await server.query(
      server.url(),
      'SELECT s.ssl FROM pg_stat_ssl AS s JOIN pg_stat_activity USING (pid) WHERE application_name = $1',
      [name],
    );
    await store.close();
    return row?.['ssl'];
  };
  for (const given of [
    `${url}?sslmode=require`,
    `${url}?sslmode=verify-ca&${root}`,
    `${url}?sslmode=require&${root}`,
    `${byName}?sslmode=verify-full&${root}`,
  ]) {
    expect(await tls(given)).toBe('t');
  }
  // Without TLS, the server accepts connections to a single database only.
  expect(await tls(`${server.url()}?sslmode=disable`)).toBe('f');
  expect(await tls(`${server.url()}?connect_timeout=5`)).toBe('f');

  const clientFiles = `sslcert=${certificates.certificate}&sslkey=${certificates.key}`;
  expect(await tls(`${server.url('with_certificate')}?sslmode=require&${clientFiles}`)).toBe('t');

  for (const [given, want] of [
    [`${url}?sslmode=disable`, /\(28000\)$/],
    [`${server.url('with_certificate')}?sslmode=require`, /\(28000\)$/],
    [`${url}?sslmode=verify-ca&sslrootcert=${otherRoot}`, /TLS failed \([A-Z_]*\)$/],
    [`${url}?sslmode=require&sslrootcert=${otherRoot}`, /TLS failed \([A-Z_]*\)$/],
    [`${url}?sslmode=verify-full&sslrootcert=system`, /TLS failed \([A-Z_]*\)$/],
    [`${url}?sslmode=verify-full&${root}`, /not for this host's name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/],
  ] as const) {
    await expect(openTestStore(given)).rejects.toThrow(want);
  }
});
