import { setTimeout as sleep } from 'node:timers/promises';
import { openTestStore } from '@contract-first/testing/app.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { joinHosts, startPostgresPair } from '@contract-first/testing/postgres.ts';
import { names, startLoad } from './support/postgres-store.ts';

test('with a PostgreSQL standby, the promoted standby is used, with everything acknowledged', async () => {
  const { primary, standby, promote } = await startPostgresPair();
  cleanUp(standby.stop);
  cleanUp(primary.stop);
  const database = await primary.createDatabase();
  const name = new URL(database).pathname.slice(1);
  const url = joinHosts(database, standby.url(name));
  // A promotion takes long on a busy machine.
  const load = startLoad(await openTestStore(url, { timeoutMs: 25_000 }));
  await load.progress(500);
  await primary.kill('SIGKILL');
  await promote();
  await load.progress(500);
  const { added, unavailable, other } = await load.stop();
  expect({ unavailable, other }).toEqual({ unavailable: [], other: [] });
  expect((await names(url)).sort()).toEqual(added.sort());
});

test('with a PostgreSQL standby, nothing is acknowledged that the synchronous standby lacks, even if the wait is cancelled', async () => {
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
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'guest-book'`,
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
  expect(await store.list()).toHaveLength(2);
});

test('with a PostgreSQL standby, a read-only primary is skipped', async () => {
  const { primary, standby } = await startPostgresPair();
  cleanUp(standby.stop);
  cleanUp(primary.stop);
  const database = await primary.createDatabase();
  const name = new URL(database).pathname.slice(1);
  const store = await openTestStore(joinHosts(standby.url(name), database));
  expect(await store.add({ id: 1n, name: 'x' })).toBe(true);
  await expect(openTestStore(standby.url(name), { timeoutMs: 2_000 })).rejects.toThrow(/:\d+: it accepts no writes$/);
});

test('with a PostgreSQL standby, connections leave a primary that becomes read-only', async () => {
  const { primary, standby, promote } = await startPostgresPair();
  cleanUp(standby.stop);
  cleanUp(primary.stop);
  const database = await primary.createDatabase();
  const standbyUrl = standby.url(new URL(database).pathname.slice(1));
  const store = await openTestStore(joinHosts(database, standbyUrl));
  await store.add({ id: 1n, name: 'a' });
  await primary.query(database, 'ALTER SYSTEM SET default_transaction_read_only = on');
  await primary.query(database, 'SELECT pg_reload_conf()');
  await promote();
  await store.add({ id: 1n, name: 'b' });
  expect(await names(standbyUrl)).toEqual(['a', 'b']);
});
