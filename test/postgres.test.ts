import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { parseDatabaseUrl } from '../src/engine/database/open-database.ts';
import { DatabaseUnavailable } from '../src/engine/database/database.ts';
import { openPlantReader } from '../src/plants/open-plant-store.ts';
import type { PlantReader, PlantStore, StoredPlant } from '../src/plants/plant-store.ts';
import { cleanUp, openTestStore } from './support/app.ts';
import { makeCertificates } from './support/certificates.ts';
import { severalHosts, startPostgres, startPostgresPair, type Postgres } from './support/postgres.ts';
import { startProxy } from './support/proxy.ts';

describe('one PostgreSQL server', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test('keeps every string and every int64 exactly', async () => {
    const url = await server.createDatabase();
    const store = await openTestStore(url);
    const odd = [
      '',
      'Fern',
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
    const plants: StoredPlant[] = [
      ...odd.map((name) => ({ id: 1n, name })),
      ...odd.map((tag) => ({ id: 1n, name: '', tag })),
      ...ids.map((id) => ({ id, name: 'x', tag: 'y' })),
      { id: 7n, name: '"\u0000🌿\\'.repeat(500_000) },
    ];
    expect(await Promise.all(plants.map((plant) => store.add(plant)))).toEqual(plants.map(() => true));
    expect(await list(url, 'history')).toEqual(plants);
  });

  test('a later plant is the current one, even when the clock of the server is behind', async () => {
    const url = await server.createDatabase();
    const store = await openTestStore(url);
    await server.query(
      url,
      `INSERT INTO plants VALUES ($1, 1, now() + interval '1 year', 1, '{"name":"from the future"}')`,
      [randomUUID()],
    );
    await store.add({ id: 1n, name: 'a' });
    await Promise.all(['b', 'c'].map((name) => store.add({ id: 1n, name })));
    expect(await names(url, 'current')).toEqual(['c']);
    expect(await names(url, 'history')).toEqual(['from the future', 'a', 'b', 'c']);
  });

  test('reads more than fits into one batch, and large plants', async () => {
    const url = await server.createDatabase();
    await openTestStore(url);
    await server.query(
      url,
      `INSERT INTO plants SELECT gen_random_uuid(), n / 2, now(), n,
         json_build_object('name', repeat('x', CASE n % 500 WHEN 0 THEN 3000000 ELSE 3 END), 'tag', n::text)
       FROM generate_series(1, 5001) AS n`,
    );
    const tags = Array.from({ length: 5001 }, (_, index) => String(index + 1));
    expect((await list(url, 'history')).map(({ tag }) => tag)).toEqual(tags);
    expect((await list(url, 'current')).map(({ tag }) => tag)).toEqual(tags.filter((tag) => Number(tag) % 2 === 1));
  });

  test('adds one plant per key, however often it is added', async () => {
    const url = await server.createDatabase();
    const [one, other] = [await openTestStore(url), await openTestStore(url)];
    const key = randomUUID();
    const plant = { id: 1n, name: 'Fern' };
    const added = await Promise.all([
      ...Array.from({ length: 20 }, () => one.add(plant, key)),
      ...Array.from({ length: 20 }, () => other.add(plant, key.toUpperCase())),
    ]);
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await one.add(plant, key)).toBe(false);
    expect(await one.add(plant, randomUUID())).toBe(true);
    expect(await list(url, 'history')).toEqual([plant, plant]);
  });

  test('rejects the plants that a trigger rejects, and keeps the rest of the group', async () => {
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
         CREATE TRIGGER refuse_${String(id)} BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.id = ${String(id)})
         EXECUTE FUNCTION refuse_${String(id)}()`,
      );
    }
    const ids = Array.from({ length: 20 }, (_, index) => BigInt(index));
    const outcomes = await Promise.allSettled(ids.map((id) => store.add({ id, name: 'x' })));
    const refused: readonly bigint[] = ids.filter((id) => id === 13n || id === 14n);
    expect(ids.filter((_, index) => outcomes[index]?.status === 'rejected')).toEqual(refused);
    expect(outcomes.filter((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toEqual([]);
    expect((await list(url, 'history')).map(({ id }) => id)).toEqual(ids.filter((id) => !refused.includes(id)));
  });

  test('does not acknowledge a plant that a trigger drops silently, and keeps the rest of the group', async () => {
    const url = await server.createDatabase();
    const store = await openTestStore(url);
    await server.query(url, `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
    await server.query(
      url,
      'CREATE TRIGGER forget BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.id = 13) EXECUTE FUNCTION forget()',
    );
    const outcomes = await Promise.allSettled([12n, 13n, 14n].map((id) => store.add({ id, name: 'x' })));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes.some((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(false);
    expect((await store.list('history')).map(({ id }) => id)).toEqual([12n, 14n]);
  });

  test('rejects a key that is not a UUID, and keeps the rest of the group', async () => {
    const store = await openTestStore(await server.createDatabase());
    const keys = [randomUUID(), 'x', randomUUID()];
    const outcomes = await Promise.allSettled(keys.map((key) => store.add({ id: 1n, name: 'x' }, key)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes.some((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(false);
    expect(await store.list('history')).toHaveLength(2);
  });

  test('retries serialization conflicts without a log line', async () => {
    const url = await server.createDatabase();
    const name = new URL(url).pathname.slice(1);
    await server.query(url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const logged: string[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    const stores = [await openTestStore(url, { log }), await openTestStore(url, { log })];
    for (let round = 0; round < 50; round += 1) {
      await Promise.all(stores.flatMap((store) => [0n, 1n, 2n].map((id) => store.add({ id, name: 'x' }))));
    }
    expect(await list(url, 'history')).toHaveLength(300);
    expect(logged).toEqual([]);
  });

  test.each([
    ['from the start', 'before'],
    ['later', 'after'],
  ])('has acknowledged plants on disk, even if synchronous_commit is off %s', async (_name, when) => {
    const url = await server.createDatabase();
    const set = async (to: string): Promise<void> => {
      await server.query(url, `ALTER SYSTEM SET synchronous_commit = ${to}`);
      await server.query(url, 'SELECT pg_reload_conf()');
      await sleep(200); // A session applies the setting between two statements.
    };
    if (when === 'before') await set('off');
    const store = await openTestStore(url);
    if (when === 'after') await set('off');
    await server.query(
      url,
      `CREATE TABLE seen (setting text);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
       CREATE TRIGGER see BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION see()`,
    );
    await store.add({ id: 1n, name: 'x' });
    await set('DEFAULT');
    expect(await server.query(url, 'SELECT setting FROM seen')).toEqual([{ setting: 'on' }]);
  });

  test('logs no data of a plant, even when an error of the server contains it', async () => {
    const url = await server.createDatabase();
    const { store, logged } = await openLogged(`${url}&application_name=logged`);
    await server.query(
      url,
      `ALTER ROLE plants SET log_parameter_max_length_on_error = -1;
       CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE SQLSTATE '53100' USING detail = NEW.plant; END $$;
       CREATE TRIGGER fill BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION fill()`,
    );
    // Only a new session has the setting.
    await server.query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'logged'");
    await sleep(100);
    await expect(store.add({ id: 1n, name: 'secret' })).rejects.toThrow(DatabaseUnavailable);
    await server.query(url, 'ALTER ROLE plants RESET log_parameter_max_length_on_error');
    expect(logged.map(({ msg }) => msg)).toContain('the database cannot be used');
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  test('holds no more connections than its limit', async () => {
    const url = `${await server.createDatabase()}&application_name=counted`;
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

  describe('at the start', () => {
    test('creates the tables once, when ten instances start at the same time', async () => {
      const url = await server.createDatabase();
      const stores = await Promise.all(Array.from({ length: 10 }, () => openTestStore(url)));
      await Promise.all(stores.map((store) => store.add({ id: 1n, name: 'x' })));
      expect(await list(url, 'history')).toHaveLength(10);
      expect(await server.query(url, 'SELECT version FROM plant_store_schema')).toEqual([{ version: '1' }]);
    });

    test('needs only SELECT and INSERT when the tables exist', async () => {
      const url = await server.createDatabase();
      await openTestStore(url);
      await server.query(
        url,
        `CREATE ROLE clerk LOGIN PASSWORD 'x'; GRANT SELECT ON plant_store_schema TO clerk;
         GRANT SELECT, INSERT ON plants TO clerk`,
      );
      const store = await openTestStore(url.replace(/\/\/.*@/, '//clerk:x@'));
      expect(await store.add({ id: 1n, name: 'x' })).toBe(true);
      const empty = (await server.createDatabase()).replace(/\/\/.*@/, '//clerk:x@');
      await expect(openTestStore(empty)).rejects.toThrow(
        /^the database postgres:\/\/clerk@.* cannot be used: .*\(42501\)$/,
      );
    });

    test('refuses a database of another application, and changes nothing in it', async () => {
      const newer = await server.createDatabase();
      await openTestStore(newer);
      await server.query(newer, 'UPDATE plant_store_schema SET version = 99');
      await expect(openTestStore(newer)).rejects.toThrow(
        /^the database .* was written by a newer version of the service$/,
      );
      await expect(openTestReader(newer)).rejects.toThrow(DatabaseUnavailable);

      const foreign = await server.createDatabase();
      await server.query(foreign, 'CREATE TABLE plants (name text)');
      await expect(openTestStore(foreign)).rejects.toThrow(/^the database .* has a table plants of another program$/);
      expect(await server.query(foreign, "SELECT to_regclass('plant_store_schema') AS name")).toEqual([{ name: null }]);

      await server.query(server.url(), "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
      await expect(openTestStore(server.url('latin'))).rejects.toThrow(/^the database .* must have the encoding UTF8$/);
    });

    test('reports the reason in one line without the password', async () => {
      const url = server.url();
      const tlsUrl = url.replace('=disable', '=require');
      const nobody = 'postgres://plants:pass:word@127.0.0.1:1/nowhere';
      for (const [given, want] of [
        [url.replace(/plants:[^@]*@/, 'plants:wrong@'), /127\.0\.0\.1:\d+: the password is wrong.*\(28P01\)/],
        [url.replace(/plants:[^@]*@/, 'plants@'), /it requires a password/],
        [server.url('nowhere'), /no such database \(3D000\)/],
        [nobody, /connection refused \(ECONNREFUSED\)/],
        [
          severalHosts(server.url('nowhere').replace(/:\d+\//, ':1/'), server.url()),
          /ECONNREFUSED\); 127\.0\.0\.1:\d+: there is no .*\(3D000\)/,
        ],
        ['postgres://u:p@no-such-host.invalid/db', /no-such-host\.invalid:5432: .*\((?:ENOTFOUND|EAI_AGAIN)\)/],
        [tlsUrl, /it does not support TLS; sslmode=disable/],
        [url.replace(/\?.*/, ''), /it does not support TLS/],
        [`${tlsUrl}&sslrootcert=/nowhere/root.pem`, /^DATABASE_URL: the file \/nowhere\/root\.pem .* \(ENOENT\)$/],
        [`${tlsUrl}&sslrootcert=${import.meta.filename}`, /^DATABASE_URL: what sslrootcert, .* cannot be used/],
      ] as const) {
        const error: unknown = await openTestStore(given, { timeoutMs: 500 }).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(DatabaseUnavailable);
        expect((error as Error).message).toMatch(want);
        expect((error as Error).message).not.toMatch(/\n|ss:|word@|wrong@/);
      }
    });

    test('is not opened for reading before it exists', async () => {
      const url = await server.createDatabase();
      await expect(openTestReader(url)).rejects.toThrow(/^there is no plant store in postgres:\/\/plants@/);
      await expect(openTestReader(url)).rejects.toThrow(DatabaseUnavailable);
    });
  });

  describe('when connections are lost', () => {
    const terminateAll = (url: string) =>
      server.query(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );

    test('loses nothing and adds nothing twice', async () => {
      const url = await server.createDatabase();
      const { logged, store } = await openLogged(url);
      const load = startLoad(store);
      for (let round = 0; round < 10; round += 1) {
        await load.progress(200);
        await terminateAll(url);
      }
      await load.progress(200);
      const { added, unavailable, other } = await load.stop();
      expect({ unavailable, other }).toEqual({ unavailable: [], other: [] });
      expect((await names(url, 'history')).sort()).toEqual(added.sort());
      expect(logged.map(({ msg }) => msg).sort()).toEqual(logged.map(() => expect.stringMatching(/can.* be used/)));
    });

    test('loses nothing and adds nothing twice when the connection is cut silently', async () => {
      const url = await server.createDatabase();
      const proxy = await startProxy(server.port);
      const { store } = await openLogged(proxy.through(url));
      const load = startLoad(store);
      for (let round = 0; round < 10; round += 1) {
        await load.progress(200);
        proxy.cut();
      }
      await load.progress(200);
      const { added, unavailable, other } = await load.stop();
      expect({ unavailable, other }).toEqual({ unavailable: [], other: [] });
      expect((await names(url, 'history')).sort()).toEqual(added.sort());
    });

    test('has no effect while nothing is added', async () => {
      const url = await server.createDatabase();
      const store = await openTestStore(url);
      await store.add({ id: 1n, name: 'a' });
      await terminateAll(url);
      await sleep(100);
      expect(await store.add({ id: 1n, name: 'b' })).toBe(true);
      expect(await names(url, 'history')).toEqual(['a', 'b']);
    });

    test('a list ends with an error, not early', async () => {
      const url = await server.createDatabase();
      const store = await openTestStore(url);
      await Promise.all(Array.from({ length: 3_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x' })));
      const reader = await openTestReader(url);
      let count = 0;
      const reading = (async () => {
        for await (const { name } of reader.list('history')) {
          expect(name).toBe('x');
          if ((count += 1) === 500) await terminateAll(url);
        }
      })();
      await expect(reading).rejects.toThrow(DatabaseUnavailable);
      expect(count).toBeGreaterThanOrEqual(500);
      await reader.close();
    });

    test('a list that is not read to its end releases its connection', async () => {
      const url = `${await server.createDatabase()}&application_name=reader`;
      const store = await openTestStore(url.replace('=reader', '=writer'));
      for (const name of ['a', 'b', 'c']) await store.add({ id: 1n, name });
      const reader = await openTestReader(url);
      for await (const { name } of reader.list('history')) {
        expect(name).toBe('a');
        break;
      }
      const count = () =>
        server.query(server.url(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reader'");
      while ((await count())[0]?.['count'] !== '0') await sleep(10);
      await reader.close();
    });

    test('a server that no longer responds is abandoned', async () => {
      const url = await server.createDatabase();
      const proxy = await startProxy(server.port);
      const store = await openTestStore(proxy.through(url), {
        poolSize: 1,
        timeoutMs: 500,
      });
      await store.add({ id: 1n, name: 'before' });
      proxy.stall();
      const first = store.add({ id: 1n, name: 'during' });
      await sleep(10); // It has started; the next ones wait for it.
      const adding = [first, ...Array.from({ length: 3 }, () => store.add({ id: 1n, name: 'during' }))];
      const outcomes = await Promise.allSettled(adding);
      expect(outcomes.every((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(true);
      await sleep(2_000); // By now the connection has been abandoned.
      proxy.resume();
      while (!(await store.add({ id: 1n, name: 'after' }).catch(unlessUnavailable))) await sleep(10);
      const kept = await names(url, 'history');
      expect(kept.filter((name) => name !== 'during')).toEqual(['before', 'after']);
    });
  });

  test('reports that it is unavailable while it cannot store, and then recovers', async () => {
    const url = await server.createDatabase();
    const { logged, store } = await openLogged(url);
    await server.query(url, 'ALTER TABLE plants RENAME TO away');
    for (let count = 0; count < 3; count += 1) {
      await expect(store.add({ id: 1n, name: 'x' })).rejects.toThrow(DatabaseUnavailable);
    }
    await server.query(url, 'ALTER TABLE away RENAME TO plants');
    expect(await store.add({ id: 1n, name: 'x' })).toBe(true);
    expect(logged.map(({ msg }) => msg)).toEqual(['the database cannot be used', 'the database can be used again']);
  });
});

describe('a PostgreSQL server that comes and goes', () => {
  test('loses nothing acknowledged when it is killed under load, and is used again automatically', async () => {
    const server = await startPostgres();
    cleanUp(server.stop);
    const url = await server.createDatabase();
    const store = await openTestStore(url, { timeoutMs: 1_000 });
    const load = startLoad(store);
    for (let round = 0; round < 3; round += 1) {
      await load.progress(500);
      await server.kill('SIGKILL');
      await load.rejection();
      await server.start();
    }
    await load.progress(500);
    const { added, unavailable, other } = await load.stop();
    expect(other).toEqual([]);
    expect(unavailable.length).toBeGreaterThan(0);
    const kept = await names(url, 'history');
    expect(new Set(kept).size).toBe(kept.length);
    expect(added.filter((name) => !kept.includes(name))).toEqual([]);
    expect(kept.filter((name) => !added.includes(name) && !unavailable.includes(name))).toEqual([]);
  });

  test('fails additions within the time limit while it is gone, bounds its queue, and closes', async () => {
    const server = await startPostgres();
    cleanUp(server.stop);
    const store = await openTestStore(await server.createDatabase(), { timeoutMs: 300, queueLimitBytes: 100_000 });
    await store.add({ id: 1n, name: 'x' });
    await server.kill('SIGKILL');
    const started = Array.from({ length: 5_000 }, () => store.add({ id: 1n, name: 'x' }));
    const outcomes = await Promise.allSettled(started);
    const messages = new Set(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason)));
    expect(outcomes.every((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(true);
    expect(messages).toEqual(
      new Set(['Error: the database did not answer within 300 ms', 'Error: too much is waiting for the database']),
    );
    const last = store.add({ id: 1n, name: 'x' });
    await Promise.all([expect(last).rejects.toThrow(DatabaseUnavailable), store.close()]);
  });

  test('is waited for at the start', async () => {
    const server = await startPostgres();
    cleanUp(server.stop);
    await server.kill('SIGINT');
    const opening = openTestStore(server.url());
    await sleep(300);
    await server.start();
    expect(await (await opening).add({ id: 1n, name: 'x' })).toBe(true);
  });

  test('has a standby, which is used once it is promoted, with everything acknowledged', async () => {
    const { primary, standby, promote } = await startPostgresPair();
    cleanUp(standby.stop);
    cleanUp(primary.stop);
    const database = await primary.createDatabase();
    const name = new URL(database).pathname.slice(1);
    const url = severalHosts(database, standby.url(name));
    // Promotion takes long on a busy machine.
    const load = startLoad(await openTestStore(url, { timeoutMs: 25_000 }));
    await load.progress(500);
    await primary.kill('SIGKILL');
    await promote();
    await load.progress(500);
    const { added, unavailable, other } = await load.stop();
    expect({ unavailable, other }).toEqual({ unavailable: [], other: [] });
    expect((await names(url, 'history')).sort()).toEqual(added.sort());
  });

  test('acknowledges nothing that its synchronous standby lacks, even when the wait for it is cancelled', async () => {
    const { primary, standby } = await startPostgresPair();
    cleanUp(standby.stop);
    cleanUp(primary.stop);
    const store = await openTestStore(primary.url(), { timeoutMs: 60_000 });
    await store.add({ id: 1n, name: 'before' });
    await standby.kill('SIGKILL');
    let isAcknowledged = false;
    const adding = store.add({ id: 1n, name: 'during' }).then(() => (isAcknowledged = true));
    const waits = async (): Promise<string> => {
      for (;;) {
        const [row] = await primary.query(
          primary.url(),
          `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'plant-store'`,
        );
        if (row?.['pid'] !== undefined) return row['pid'];
        await sleep(10);
      }
    };
    for (const cut of ['pg_cancel_backend', 'pg_terminate_backend', 'pg_cancel_backend']) {
      await primary.query(primary.url(), `SELECT ${cut}(${await waits()})`);
    }
    await waits();
    await primary.kill('SIGKILL');
    await primary.start();
    await waits();
    expect(isAcknowledged).toBe(false);
    await standby.start();
    await adding;
    expect(await store.list('history')).toHaveLength(2);
  });

  test('is skipped while it is read-only', async () => {
    const { primary, standby } = await startPostgresPair();
    cleanUp(standby.stop);
    cleanUp(primary.stop);
    const database = await primary.createDatabase();
    const name = new URL(database).pathname.slice(1);
    const store = await openTestStore(severalHosts(standby.url(name), database));
    expect(await store.add({ id: 1n, name: 'x' })).toBe(true);
    await expect(openTestStore(standby.url(name), { timeoutMs: 300 })).rejects.toThrow(/:\d+: it accepts no writes$/);
  });

  test('is left when it becomes read-only', async () => {
    const { primary, standby, promote } = await startPostgresPair();
    cleanUp(standby.stop);
    cleanUp(primary.stop);
    const database = await primary.createDatabase();
    const standbyUrl = standby.url(new URL(database).pathname.slice(1));
    const store = await openTestStore(severalHosts(database, standbyUrl));
    await store.add({ id: 1n, name: 'a' });
    await primary.query(database, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await primary.query(database, 'SELECT pg_reload_conf()');
    await promote();
    await store.add({ id: 1n, name: 'b' });
    expect(await names(standbyUrl, 'history')).toEqual(['a', 'b']);
  });
});

test('TLS follows sslmode', async () => {
  const certificates = makeCertificates();
  const { root: otherRoot } = makeCertificates();
  const server = await startPostgres({ tls: certificates });
  cleanUp(server.stop);
  await server.query(server.url(), 'CREATE DATABASE with_certificate');
  const bare = (url: string): string => url.replace(/\?.*/, '');
  const url = bare(await server.createDatabase());
  const byName = url.replace('@127.0.0.1', '@localhost');
  const root = `sslrootcert=${certificates.root}`;

  const tls = async (given: string): Promise<string | undefined> => {
    const store = await openTestStore(`${given}&application_name=seen`);
    await store.add({ id: 1n, name: 'x' });
    const [row] = await server.query(
      server.url(),
      "SELECT s.ssl FROM pg_stat_ssl AS s JOIN pg_stat_activity USING (pid) WHERE application_name = 'seen'",
    );
    await store.close();
    return row?.['ssl'];
  };
  for (const given of [
    `${url}?connect_timeout=5`,
    `${url}?sslmode=require`,
    `${url}?sslmode=verify-ca&${root}`,
    `${url}?sslmode=require&${root}`,
    `${byName}?sslmode=verify-full&${root}`,
  ]) {
    expect(await tls(given)).toBe('t');
  }
  // Without TLS, the server accepts connections to one database only.
  expect(await tls(server.url())).toBe('f');
  await expect(openTestStore(bare(server.url()))).rejects.toThrow(/\(28000\)$/);

  const clientFiles = `sslcert=${certificates.certificate}&sslkey=${certificates.key}`;
  expect(await tls(`${bare(server.url('with_certificate'))}?sslmode=require&${clientFiles}`)).toBe('t');

  for (const [given, want] of [
    [`${url}?sslmode=disable`, /\(28000\)$/],
    [`${bare(server.url('with_certificate'))}?sslmode=require`, /\(28000\)$/],
    [`${url}?sslmode=verify-ca&sslrootcert=${otherRoot}`, /TLS failed \([A-Z_]*\)$/],
    [`${url}?sslmode=require&sslrootcert=${otherRoot}`, /TLS failed \([A-Z_]*\)$/],
    [`${url}?sslmode=verify-full&sslrootcert=system`, /TLS failed \([A-Z_]*\)$/],
    [`${url}?sslmode=verify-full&${root}`, /not for this host's name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/],
  ] as const) {
    await expect(openTestStore(given)).rejects.toThrow(want);
  }
});

async function openLogged(url: string) {
  const logged: { readonly msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as { msg: string }) });
  return { logged, store: await openTestStore(url, { log, timeoutMs: 10_000 }) };
}

async function openTestReader(url: string): Promise<PlantReader> {
  const read = parseDatabaseUrl(url);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return openPlantReader(read.location);
}

async function list(url: string, which: 'current' | 'history'): Promise<StoredPlant[]> {
  const reader = await openTestReader(url);
  const plants = await Array.fromAsync(reader.list(which));
  await reader.close();
  return plants;
}

async function names(url: string, which: 'current' | 'history'): Promise<string[]> {
  return (await list(url, which)).map(({ name }) => name);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable;
}

function unlessUnavailable(error: unknown): false {
  if (isUnavailable(error)) return false;
  throw error;
}

/** Starts clients that add plants in sequence with unique names and few ids, and records each outcome. */
function startLoad(store: PlantStore) {
  const added: string[] = [];
  const unavailable: string[] = [];
  const other: unknown[] = [];
  let isOver = false;
  let last = 0;
  const client = async (): Promise<void> => {
    while (!isOver) {
      const name = String((last += 1));
      try {
        await store.add({ id: BigInt(last % 10), name });
        added.push(name);
      } catch (error) {
        if (isUnavailable(error)) unavailable.push(name);
        else other.push(error);
        await sleep(1); // An addition may fail at once.
      }
    }
  };
  const clients = Array.from({ length: 50 }, client);
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await sleep(5);
  };
  return {
    /** Resolves when a number of further plants have been added. */
    progress: (count: number) => {
      const goal = added.length + count;
      return until(() => added.length >= goal);
    },
    /** Resolves when one more addition has failed. */
    rejection: () => {
      const goal = unavailable.length + 1;
      return until(() => unavailable.length >= goal);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      return { added, unavailable, other };
    },
  };
}
