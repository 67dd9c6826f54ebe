import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import request from 'supertest';
import { DatabaseUnavailable } from '../src/database.ts';
import type { Guest } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { createTestApp, listGuests, openTestStore } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { contractOf } from '@contract-first/testing/contract.ts';
import { startPostgres } from '@contract-first/testing/postgres.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { isUnavailable, openLogged } from './support/postgres-store.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { sql, table, type Query } from '../src/index.ts';
import { insertNote, notes, openNotes, type Note } from './support/notes.ts';

const server = sharedPostgres();

test('a PostgreSQL server stores every string and every int64 exactly', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  const odd = [
    '',
    'Anna',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00x',
    '🌿',
    '"',
    '\\',
    '{}',
    'NULL',
    "'",
    '\n',
    '\u2028',
  ];
  const ids = [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
  const guests: Guest[] = [
    ...odd.map((name) => ({ id: 1n, name })),
    ...odd.map((tag) => ({ id: 1n, name: '', tag })),
    ...ids.map((id) => ({ id, name: 'x', tag: 'y' })),
    { id: 7n, name: '"\u0000🌿\\'.repeat(500_000) },
  ];
  expect(await Promise.all(guests.map((guest) => store.add(guest)))).toEqual(guests.map(() => true));
  expect(await listGuests(url)).toEqual(guests);
});

test('a PostgreSQL server reads more guests than fit into one batch, and large guests', async () => {
  const url = await server.createDatabase();
  await openTestStore(url);
  await server.query(
    url,
    `INSERT INTO guests SELECT gen_random_uuid(), n / 2, now(), n,
         json_build_object('name', repeat('x', CASE n % 500 WHEN 0 THEN 3000000 ELSE 3 END), 'tag', n::text)
       FROM generate_series(1, 5001) AS n`,
  );
  const tags = Array.from({ length: 5001 }, (_, index) => String(index + 1));
  expect((await listGuests(url)).map(({ tag }) => tag)).toEqual(tags);
});

test('a PostgreSQL server adds one guest per key, even if it is added repeatedly', async () => {
  const url = await server.createDatabase();
  const [one, other] = [await openTestStore(url), await openTestStore(url)];
  const key = randomUUID();
  const guest = { id: 1n, name: 'Anna' };
  const added = await Promise.all([
    ...Array.from({ length: 20 }, () => one.add(guest, key)),
    ...Array.from({ length: 20 }, () => other.add(guest, key.toUpperCase())),
  ]);
  expect(added.filter(Boolean)).toHaveLength(1);
  expect(await one.add(guest, key)).toBe(false);
  expect(await one.add(guest, randomUUID())).toBe(true);
  expect(await listGuests(url)).toEqual([guest, guest]);
});

test('a PostgreSQL server rejects guests that a trigger rejects, and stores the rest of the batch', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  for (const [id, error] of [
    [13, "'no'"],
    [14, "SQLSTATE 'ZZ001'"],
  ] as const) {
    // prettier-ignore
    await server.query(
        url,
        `CREATE FUNCTION refuse_${String(id)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE ${error}; END $$;
         CREATE TRIGGER refuse_${String(id)} BEFORE INSERT ON guests FOR EACH ROW WHEN (NEW.id = ${String(id)})
         EXECUTE FUNCTION refuse_${String(id)}()`,
      );
  }
  const ids = Array.from({ length: 20 }, (_, index) => BigInt(index));
  const outcomes = await Promise.allSettled(ids.map((id) => store.add({ id, name: 'x' })));
  const refused: readonly bigint[] = ids.filter((id) => id === 13n || id === 14n);
  expect(ids.filter((_, index) => outcomes[index]?.status === 'rejected')).toEqual(refused);
  expect(outcomes.filter((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toEqual([]);
  expect((await listGuests(url)).map(({ id }) => id)).toEqual(ids.filter((id) => !refused.includes(id)));
});

test('a PostgreSQL server does not acknowledge a guest that a trigger drops silently, and stores the rest of the batch', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await server.query(url, `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
  await server.query(
    url,
    'CREATE TRIGGER forget BEFORE INSERT ON guests FOR EACH ROW WHEN (NEW.id = 13) EXECUTE FUNCTION forget()',
  );
  const outcomes = await Promise.allSettled([12n, 13n, 14n].map((id) => store.add({ id, name: 'x' })));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes.some((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(false);
  expect((await store.list()).map(({ id }) => id)).toEqual([12n, 14n]);
});

test('a PostgreSQL server rejects a key that is not a UUID, and stores the rest of the batch', async () => {
  const store = await openTestStore(await server.createDatabase());
  const keys = [randomUUID(), 'x', randomUUID()];
  const outcomes = await Promise.allSettled(keys.map((key) => store.add({ id: 1n, name: 'x' }, key)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes.some((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(false);
  expect(await store.list()).toHaveLength(2);
});

test('a PostgreSQL server retries serialization conflicts without a log line', async () => {
  const url = await server.createDatabase();
  await server.query(url, `ALTER DATABASE ${nameOf(url)} SET default_transaction_isolation = 'serializable'`);
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const stores = [await openTestStore(url, { log }), await openTestStore(url, { log })];
  for (let round = 0; round < rounds(10, 50); round += 1) {
    await Promise.all(stores.flatMap((store) => [0n, 1n, 2n].map((id) => store.add({ id, name: 'x' }))));
  }
  expect(await listGuests(url)).toHaveLength(rounds(10, 50) * 6);
  expect(logged).toEqual([]);
});

test.each([
  ['from the start', 'before'],
  ['later', 'after'],
])('a PostgreSQL server has acknowledged guests on disk, even if synchronous_commit is off %s', async (_name, when) => {
  const server = await startPostgres();
  cleanUp(server.stop);
  const url = server.url();
  const set = async (to: string): Promise<void> => {
    await server.query(url, `ALTER SYSTEM SET synchronous_commit = ${to}`);
    await server.query(url, 'SELECT pg_reload_conf()');
    await sleep(200); // A session applies the new setting between two statements.
  };
  if (when === 'before') await set('off');
  const store = await openTestStore(url);
  if (when === 'after') await set('off');
  await server.query(
    url,
    `CREATE TABLE seen (setting text);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
       CREATE TRIGGER see BEFORE INSERT ON guests FOR EACH ROW EXECUTE FUNCTION see()`,
  );
  await store.add({ id: 1n, name: 'x' });
  expect(await server.query(url, 'SELECT setting FROM seen')).toEqual([{ setting: 'on' }]);
});

test('a PostgreSQL server causes no log of guest data, even if an error of the server contains it', async () => {
  const url = await server.createDatabase();
  const { store, logged } = await openLogged(`${url}?application_name=logged`);
  await server.query(
    url,
    `ALTER DATABASE ${nameOf(url)} SET log_parameter_max_length_on_error = -1;
       CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE SQLSTATE '53100' USING detail = NEW.guest; END $$;
       CREATE TRIGGER fill BEFORE INSERT ON guests FOR EACH ROW EXECUTE FUNCTION fill()`,
  );
  // Only a new session has the setting.
  await server.query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'logged'");
  await sleep(100);
  await expect(store.add({ id: 1n, name: 'secret' })).rejects.toThrow(DatabaseUnavailable);
  expect(logged.map(({ msg }) => msg)).toContain('the database cannot be used');
  expect(JSON.stringify(logged)).not.toContain('secret');
});

test('a PostgreSQL server has no more connections than the limit', async () => {
  const url = `${await server.createDatabase()}?application_name=counted`;
  const store = await openTestStore(url, { poolSize: 3 });
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      for (let id = 0n; id < 20n; id += 1n) await store.add({ id, name: 'x' });
    }),
  );
  const count = () =>
    server.query(server.url(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'");
  expect([{ count: '1' }, { count: '2' }, { count: '3' }]).toContainEqual((await count())[0]);
  await store.close();
  while ((await count())[0]?.['count'] !== '0') await sleep(10);
});

test('a PostgreSQL server that cannot store is reported as unavailable, and then recovers', async () => {
  const url = await server.createDatabase();
  const { logged, store } = await openLogged(url);
  await server.query(url, 'ALTER TABLE guests RENAME TO away');
  for (let count = 0; count < 3; count += 1) {
    await expect(store.add({ id: 1n, name: 'x' })).rejects.toThrow(DatabaseUnavailable);
  }
  await server.query(url, 'ALTER TABLE away RENAME TO guests');
  expect(await store.add({ id: 1n, name: 'x' })).toBe(true);
  expect(logged.map(({ msg }) => msg)).toEqual(['the database cannot be used', 'the database can be used again']);
});

test.each([
  ['40001', 'cannot be serialized', `DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`],
  ['55P03', 'waits for a lock', 'LOCK TABLE notes'],
])(
  'a PostgreSQL server repeats a transaction in one session until its time limit, and not afterwards: %s, it %s',
  async (_state, _name, text) => {
    const url = await server.createDatabase();
    await server.query(url, `ALTER DATABASE ${nameOf(url)} SET lock_timeout = '300ms'`);
    const database = await openNotes(url, { poolSize: 1, timeoutMs: 1_500 });
    cleanUp(database.close);
    const readSession = () => database.write(sql`SELECT pg_backend_pid() AS session`);
    const session = await readSession();
    const other = await openNotes(url, { poolSize: 1, timeoutMs: 20_000 });
    cleanUp(other.close);
    const [release, locked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const locking = other.transaction(async ({ write }) => {
      await write(sql`LOCK TABLE notes`);
      locked.resolve(undefined);
      await release.promise;
    });
    await locked.promise;
    let runs = 0;
    const adding = database.transaction(async ({ write }) => {
      runs += 1;
      await write({ write: () => text });
    });
    await expect(adding).rejects.toThrow(DatabaseUnavailable);
    expect(runs).toBeGreaterThan(1);
    while ((await readSession().catch(() => undefined)) === undefined) await sleep(10);
    const runsUntilThen = runs;
    expect(await readSession()).toEqual(session);
    expect(runs).toBe(runsUntilThen);
    expect(runs).toBeLessThan(40);
    release.resolve(undefined);
    await locking;
  },
);

test.each([
  'SET LOCAL synchronous_commit = off',
  "SELECT set_config('synchronous_commit', 'off', 1 > 2)",
  'DO $$ BEGIN COMMIT; END $$',
])('a PostgreSQL server commits no transaction that is not durable or ends too early: %s', async (text) => {
  const database = await openNotes(await server.createDatabase(), { poolSize: 1 });
  cleanUp(database.close);
  const change: Query = { write: () => text };
  const writing = [
    () => database.write(insertNote(1n, 'x'), change),
    () => database.transaction(({ write }) => write(insertNote(1n, 'x'), change)),
  ];
  for (const write of writing) {
    await expect(write()).rejects.toThrow(/a statement has changed synchronous_commit|invalid transaction termination/);
    await expect(write()).rejects.not.toBeInstanceOf(DatabaseUnavailable);
    await database.write(insertNote(2n, 'x'), sql`DELETE FROM ${notes} WHERE id = 2`);
  }
  expect(await database.read(sql`SELECT id FROM ${notes}`)).toEqual([]);
});

test.each([
  ['makes its transaction read-only', 'SET LOCAL transaction_read_only = on'],
  ['gets several rows from a subquery', 'UPDATE notes SET text = (SELECT text FROM notes)'],
  [
    'updates a row twice',
    `INSERT INTO notes (id, text, key) VALUES (7, 'a', gen_random_uuid()), (7, 'b', gen_random_uuid())
       ON CONFLICT (id) DO UPDATE SET text = excluded.text`,
  ],
  ['is not supported', 'SELECT count(*) FROM notes FOR UPDATE'],
  ['finds no case', 'DO $$ BEGIN CASE 1 WHEN 2 THEN NULL; END CASE; END $$'],
  ['names no schema', 'CREATE TABLE nowhere.notes (id bigint)'],
])('a statement of a PostgreSQL database that fails by itself is not an outage: it %s', async (_name, text) => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const database = await openNotes(await server.createDatabase(), { log });
  cleanUp(database.close);
  await database.write(insertNote(1n, 'x'), insertNote(2n, 'x'));
  const writing = [
    () => database.write({ write: () => text }, insertNote(3n, 'x')),
    () => database.transaction(({ write }) => write({ write: () => text }, insertNote(3n, 'x'))),
  ];
  for (const write of writing) await expect(write()).rejects.not.toBeInstanceOf(DatabaseUnavailable);
  expect(await database.read(sql`SELECT id FROM ${notes} ORDER BY id`)).toEqual([{ id: 1n }, { id: 2n }]);
  expect(logged).toEqual([]);
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

const NOTES = `
openapi: 3.2.0
info: { title: Notes, version: 1.0.0 }
security: []
paths:
  /notes/{text}:
    parameters: [{ name: text, in: path, required: true, schema: { type: string } }]
    get: { operationId: findNote, responses: { '204': { description: There is one. } } }
    put: { operationId: ownNote, responses: { '204': { description: Stored. } } }
  /notes:
    get:
      operationId: listNotes
      parameters: [{ name: text, in: query, schema: { type: string } }]
      responses:
        '200': { description: Notes., content: { application/jsonl: { itemSchema: {} } } }
    post:
      operationId: addNote
      requestBody:
        content: { application/json: { schema: { type: object, properties: { tags: { type: array } } } } }
      responses: { '204': { description: Stored. } }
  /drafts:
    post:
      operationId: addDraft
      requestBody:
        content: { application/json: { schema: { type: object, properties: { tags: { type: array } } } } }
      responses: { '204': { description: Stored. } }
`;

test('400 has the place of U+0000 when PostgreSQL compares or stores it; 500 for a string of the service', async () => {
  const database = await openNotes(await server.createDatabase());
  cleanUp(database.close);
  await database.write(sql`CREATE TABLE ${table('drafts')} (tags jsonb)`);
  type Sent = { readonly path: { text: string }; readonly query: { text: string }; readonly body: { tags: string[] } };
  const find = (text: string): Query<Note> => sql<Note>`SELECT id, text FROM ${notes} WHERE text = ${text}`;
  const done = { status: 204 };
  const handlers = {
    findNote: async ({ path }: Sent) => {
      await database.transaction(({ read }) => read(find(path.text)));
      await database.read(find(path.text));
      return done;
    },
    ownNote: async () => {
      await database.write(insertNote(2n, 'a\0b'));
      return done;
    },
    listNotes: ({ query }: Sent) =>
      Promise.resolve({ status: 200, contentType: 'application/jsonl', body: database.stream(find(query.text)) }),
    addNote: async ({ body }: Sent) => {
      await database.insert({ id: 1n, text: body.tags.join(' ') });
      return done;
    },
    addDraft: async ({ body }: Sent) => {
      await database.write(sql`INSERT INTO ${table('drafts')} (tags) VALUES (${JSON.stringify(body)}::jsonb)`);
      return done;
    },
  };
  const { app } = await createTestApp({ contract: await contractOf(NOTES), handlers });
  const post = (path: string, tag: string) =>
    request(app)
      .post(path)
      .send({ tags: ['x', tag] });
  const outcome = async (sent: request.Test): Promise<readonly unknown[]> => {
    const { status, text } = await sent;
    return [status, (JSON.parse(text) as { readonly detail: string }).detail];
  };
  const problem = ' must not contain the character U+0000';
  expect(await outcome(request(app).get('/notes/a%00b'))).toEqual([400, `path/text${problem}`]);
  expect(await outcome(request(app).get('/notes?text=%00'))).toEqual([400, `query/text${problem}`]);
  expect(await outcome(post('/notes', '\0'))).toEqual([400, `body/tags/1${problem}`]);
  expect(await outcome(post('/drafts', '\0'))).toEqual([400, `body/tags/1${problem}`]);
  expect((await post('/notes', 'a')).status).toBe(204);
  expect((await post('/drafts', 'a')).status).toBe(204);
  expect((await request(app).get('/notes/a')).status).toBe(204);
  expect((await request(app).get('/notes?text=x%20a')).text).toBe('{"id":1,"text":"x a"}\n');
  expect((await request(app).put('/notes/a%00b')).status).toBe(400);
  expect((await request(app).put('/notes/a')).status).toBe(500);
});
