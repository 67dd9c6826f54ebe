import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../src/database.ts';
import { openTestReader, openTestStore } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { startPostgres } from '@contract-first/testing/postgres.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { isUnavailable, names, openLogged, startLoad, unlessUnavailable } from './support/postgres-store.ts';
import { startProxy } from './support/proxy.ts';
import { openNotes, tally } from './support/notes.ts';
import { sql } from '../src/sql.ts';
import { start } from '@contract-first/testing/service.ts';
import { rounds } from '@contract-first/testing/rounds.ts';

const server = sharedPostgres();

const terminateAll = (url: string) =>
  server.query(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );

test('when connections are lost, a store loses nothing and adds nothing twice', async () => {
  const url = await server.createDatabase();
  const { logged, store } = await openLogged(url);
  const load = startLoad(store);
  for (let round = 0; round < rounds(3, 10); round += 1) {
    await load.progress(200);
    await terminateAll(url);
  }
  await load.progress(200);
  const { added, unavailable, other } = await load.stop();
  expect({ unavailable, other }).toEqual({ unavailable: [], other: [] });
  expect((await names(url)).sort()).toEqual(added.sort());
  expect(logged.map(({ msg }) => msg).sort()).toEqual(logged.map(() => expect.stringMatching(/can.* be used/)));
});

test('when connections are cut silently, a store loses nothing and adds nothing twice', async () => {
  const url = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const { store } = await openLogged(proxy.through(url));
  const load = startLoad(store);
  for (let round = 0; round < rounds(3, 10); round += 1) {
    await load.progress(200);
    proxy.cut();
  }
  await load.progress(200);
  const { added, unavailable, other } = await load.stop();
  expect({ unavailable, other }).toEqual({ unavailable: [], other: [] });
  expect((await names(url)).sort()).toEqual(added.sort());
});

test('a lost idle connection has no effect', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await store.add({ id: 1n, name: 'a' });
  await terminateAll(url);
  await sleep(100);
  expect(await store.add({ id: 1n, name: 'b' })).toBe(true);
  expect(await names(url)).toEqual(['a', 'b']);
});

test('when connections are lost, a list ends with an error, not early', async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await Promise.all(Array.from({ length: 3_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x' })));
  const reader = await openTestReader(url);
  let count = 0;
  const reading = (async () => {
    for await (const { name } of reader.list()) {
      expect(name).toBe('x');
      if ((count += 1) === 500) await terminateAll(url);
    }
  })();
  await expect(reading).rejects.toThrow(DatabaseUnavailable);
  expect(count).toBeGreaterThanOrEqual(500);
  await reader.close();
});

test('when connections are lost, a list that is not read to its end releases its connection', async () => {
  const url = `${await server.createDatabase()}?application_name=reader`;
  const store = await openTestStore(url.replace('=reader', '=writer'));
  for (const name of ['a', 'b', 'c']) await store.add({ id: 1n, name });
  const reader = await openTestReader(url);
  for await (const { name } of reader.list()) {
    expect(name).toBe('a');
    break;
  }
  const count = () =>
    server.query(server.url(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reader'");
  while ((await count())[0]?.['count'] !== '0') await sleep(10);
  await reader.close();
});

test('when connections are lost, a server that no longer responds is abandoned', async () => {
  const url = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const store = await openTestStore(proxy.through(url), {
    poolSize: 1,
    timeoutMs: 1_500,
  });
  await store.add({ id: 1n, name: 'before' });
  proxy.stall();
  const first = store.add({ id: 1n, name: 'during' });
  await sleep(10); // The first addition has started; the next additions wait.
  const adding = [first, ...Array.from({ length: 3 }, () => store.add({ id: 1n, name: 'during' }))];
  const outcomes = await Promise.allSettled(adding);
  expect(outcomes.every((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(true);
  await sleep(6_000); // Until the connection is abandoned.
  proxy.resume();
  while (!(await store.add({ id: 1n, name: 'after' }).catch(unlessUnavailable))) await sleep(10);
  const kept = await names(url);
  expect(kept.filter((name) => name !== 'during')).toEqual(['before', 'after']);
});

test('a service that freezes in a transaction loses its locks', async () => {
  const url = await server.createDatabase();
  const database = await openNotes(url, { timeoutMs: 20_000 });
  cleanUp(database.close);
  const frozen = start('node', [join(import.meta.dirname, 'support/hold-transaction.ts'), url], {});
  await once(frozen.process.stdout, 'data');
  frozen.process.kill('SIGSTOP');
  await database.write(sql`UPDATE ${tally} SET total = total + 10`);
  expect(await database.read(sql`SELECT total FROM ${tally}`)).toEqual([{ total: 10n }]);
});

test('a PostgreSQL server that is killed under load loses nothing acknowledged, and is used again automatically', async () => {
  const server = await startPostgres();
  cleanUp(server.stop);
  const url = await server.createDatabase();
  const store = await openTestStore(url, { timeoutMs: 3_000 });
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
  const kept = await names(url);
  expect(new Set(kept).size).toBe(kept.length);
  expect(added.filter((name) => !kept.includes(name))).toEqual([]);
  expect(kept.filter((name) => !added.includes(name) && !unavailable.includes(name))).toEqual([]);
});

test('while a PostgreSQL server is down, additions fail within the time limit, the queue is bounded, and the store can be closed', async () => {
  const server = await startPostgres();
  cleanUp(server.stop);
  const store = await openTestStore(await server.createDatabase(), { timeoutMs: 2_000, queueLimitBytes: 100_000 });
  await store.add({ id: 1n, name: 'x' });
  await server.kill('SIGKILL');
  const started = Array.from({ length: 5_000 }, () => store.add({ id: 1n, name: 'x' }));
  const outcomes = await Promise.allSettled(started);
  const messages = new Set(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason)));
  expect(outcomes.every((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(true);
  expect(messages).toEqual(
    new Set(['Error: the database did not answer within 2000 ms', 'Error: too much is waiting for the database']),
  );
  const last = store.add({ id: 1n, name: 'x' });
  await Promise.all([expect(last).rejects.toThrow(DatabaseUnavailable), store.close()]);
});
