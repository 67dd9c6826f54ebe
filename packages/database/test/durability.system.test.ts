import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectForWriting, openForWriting, storeSchemaOf } from '../src/sqlite/open-file.ts';
import { guestTables } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startCreations, type Load } from '@contract-first/testing/load.ts';
import { joinHosts, startPostgres, startPostgresPair } from '@contract-first/testing/postgres.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';

const ROUNDS = rounds(2, 15);
const CLIENTS = 32;
const TIMEOUT_MS = 600_000;

// A killed process does not lose written data; a power loss loses data that is not synced.
test('every commit to the embedded store is synced to disk', () => {
  const database = openForWriting(join(temporaryFolder(), 'guests.db'), storeSchemaOf(guestTables));
  cleanUp(() => {
    database.close();
  });
  const other = connectForWriting(database.location() ?? '');
  cleanUp(() => {
    other.close();
  });
  for (const connection of [database, other])
    expect(connection.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
});

describeStores((createDatabase) => {
  test(
    'under repeated load, nothing acknowledged is lost and nothing extra is stored when the service is killed',
    async () => {
      const ledger = createLedger(await createDatabase());
      for (let round = 0; round < ROUNDS; round += 1) {
        const { load, outcome } = await endUnderLoad('SIGKILL', round, ledger.env);
        await outcome;
        ledger.enter(load);
        await ledger.compare();
      }
    },
    TIMEOUT_MS,
  );

  test(
    'under repeated load, nothing acknowledged is lost and nothing extra is stored when the service gets SIGTERM: every request is answered, exit 0',
    async () => {
      const ledger = createLedger(await createDatabase());
      for (let round = 0; round < ROUNDS; round += 1) {
        const { load, outcome } = await endUnderLoad('SIGTERM', round, ledger.env);
        expect((await outcome).code).toBe(0);
        expect([...load.failures.keys()]).toEqual(['NOT_CONNECTED']);
        ledger.enter(load);
      }
      await ledger.compare();
    },
    TIMEOUT_MS,
  );

  test('under repeated load, nothing acknowledged is lost and nothing extra is stored when several processes write to one database', async () => {
    const ledger = createLedger(await createDatabase());
    const services = await Promise.all(Array.from({ length: 4 }, () => startServiceProcess(ledger.env)));
    const load = startCreations(services, 64);
    await load.acknowledges(4_000);
    await load.stop();
    expect([...load.failures]).toEqual([]);
    ledger.enter(load);
    await ledger.compare();
  });
});

test(
  'under repeated load, nothing acknowledged is lost and nothing extra is stored when PostgreSQL is killed and restarted: every request is answered, 200 or 503, and the service continues',
  async () => {
    const postgres = await startPostgres();
    cleanUp(postgres.stop);
    const ledger = createLedger(postgres.url());
    const service = await startServiceProcess(ledger.env);
    const load = startCreations(service, CLIENTS);
    for (let round = 0; round < ROUNDS; round += 1) {
      await load.acknowledges(CLIENTS * 4);
      await sleep(round * 10);
      await postgres.kill('SIGKILL');
      await postgres.start();
    }
    await load.acknowledges(CLIENTS);
    await load.stop();
    expect([...load.failures.keys()].filter((outcome) => outcome !== '503')).toEqual([]);
    ledger.enter(load);
    await ledger.compare();
  },
  TIMEOUT_MS,
);

test('under repeated load, nothing acknowledged is lost and nothing extra is stored when the primary is killed and the standby is promoted, without a restart of the service', async () => {
  const { primary, standby, promote } = await startPostgresPair();
  cleanUp(primary.stop);
  cleanUp(standby.stop);
  const ledger = createLedger(joinHosts(primary.url(), standby.url()));
  const service = await startServiceProcess(ledger.env);
  const load = startCreations(service, CLIENTS);
  await load.acknowledges(2_000);
  await primary.kill('SIGKILL');
  await promote();
  await load.acknowledges(2_000);
  await load.stop();
  expect([...load.failures.keys()].filter((outcome) => outcome !== '503')).toEqual([]);
  ledger.enter(load);
  await ledger.compare();
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

test('while PostgreSQL is down, 503 with the Error body and Retry-After, SIGTERM exits 0; the service starts only with a database', async () => {
  const postgres = await startPostgres();
  cleanUp(postgres.stop);
  const env = { DATABASE_URL: postgres.url(), DATABASE_TIMEOUT_MS: '3000' };
  const service = await startServiceProcess(env);
  await postgres.kill('SIGKILL');
  const response = await fetch(`${service.url}/guests`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body: '{"id":1,"name":"Anna"}',
  });
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBe('1');
  expect(await response.json()).toEqual({ error: 503, message: expect.any(String) });
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);

  const refused = await runProcess('node', ['src/main.ts'], env);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]+ECONNREFUSED[^\n]+\n$/),
  });
  expect(refused.stderr).not.toContain('word');
});

/** Starts the service, and sends a signal to it under load, at a different moment in each round. */
async function endUnderLoad(signal: NodeJS.Signals, round: number, env: Readonly<Record<string, string>>) {
  const service = await startServiceProcess(env);
  const load = startCreations(service, CLIENTS);
  await load.acknowledges(CLIENTS);
  await sleep(round * 10);
  service.process.kill(signal);
  await load.ended;
  return { load, outcome: service.outcome };
}

/** The creations sent and acknowledged in all rounds, to compare with the store. */
function createLedger(url: string) {
  const env = { DATABASE_URL: url };
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  return {
    env,
    enter(load: Load): void {
      load.sent.forEach((line) => sent.add(line));
      load.acknowledged.forEach((line) => acknowledged.add(line));
    },
    async compare(): Promise<void> {
      const { code, stdout } = await runProcess('node', ['scripts/export.ts'], env);
      expect(code).toBe(0);
      const lines = stdout.split('\n').slice(0, -1);
      const kept = new Set(lines);
      expect(kept.size).toBe(lines.length);
      expect(lines.filter((line) => !sent.has(line))).toEqual([]);
      expect([...acknowledged].filter((line) => !kept.has(line))).toEqual([]);
    },
  };
}
