import { writeContract } from './contract.ts';
import { startPostgres } from './postgres.ts';
import { serviceAgainst, type Metric, type Table } from './result.ts';
import { load, takeTurns, WARM_UP_ROUNDS } from './rounds.ts';
import { PEERS, startVerified, type Bench, type ServerName, type Setup } from './servers.ts';
import type { Keeping } from './store.ts';

/** Compares the cost of HTTP, authentication, validation and logging under load, without a store. */
export async function compareWithoutStore(bench: Bench): Promise<readonly Table[]> {
  const setups = (['service', ...PEERS] as const).map((server) => ({ server, keeping: 'none' }) as const);
  return compare(bench, 'No store', setups, [64, 1], ['cpuMicros', 'requestsPerSecond', 'peakMegabytes'], 'cpuMicros');
}

/**
 * Compares servers under load on separate SQLite databases. Peers run with their own stores and with the service's
 * store.
 */
export async function compareOnSqlite(bench: Bench): Promise<readonly Table[]> {
  return compareStores(bench, 'SQLite', [
    ['fastify', 'by hand'],
    ['fastify', 'group commit'],
    ['fastify', 'autocommit'],
    ['stock', 'autocommit'],
  ]);
}

/** Compares servers under load on the PostgreSQL database of `DATABASE_URL`, or on a temporary database. */
export async function compareOnPostgres(bench: Bench): Promise<readonly Table[]> {
  const peers = [
    ['fastify', 'group commit'],
    ['fastify', 'autocommit'],
    ['stock', 'autocommit'],
  ] as const;
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl?.startsWith('postgres') === true) return compareStores(bench, 'PostgreSQL', peers, databaseUrl);
  const postgres = await startPostgres(bench.cores);
  try {
    return await compareStores(bench, 'PostgreSQL', peers, postgres.url);
  } finally {
    await postgres.stop();
  }
}

function compareStores(
  bench: Bench,
  title: string,
  peers: readonly (readonly [ServerName, Keeping])[],
  databaseUrl?: string,
): Promise<readonly Table[]> {
  const setups = ([['service', 'group commit'], ...peers] as const).map(([server, keeping]) => ({
    server,
    keeping,
    databaseUrl,
  }));
  return compare(
    bench,
    title,
    setups,
    [64, 256, 8, 1],
    ['requestsPerSecond', 'p50Ms', 'p99Ms', 'cpuMicros', 'peakMegabytes'],
    'requestsPerSecond',
  );
}

/** Compares servers. @param connections the number of connections for each table; the chart shows the first */
async function compare(
  bench: Bench,
  title: string,
  setups: readonly Omit<Setup, 'contract'>[],
  connections: readonly number[],
  metrics: readonly Metric[],
  chart: Metric,
): Promise<readonly Table[]> {
  const contract = writeContract(bench.folder, 1);
  const servers = await startVerified(
    bench,
    setups.map((setup) => ({ ...setup, contract })),
  );
  const tables: Table[] = [];
  for (const count of connections) {
    const subtitle = count === 1 ? 'one request at a time' : `${String(count)} connections`;
    console.error(`${title}: ${subtitle}`);
    const turns = servers.map((server) => [server.name, () => load(server, count, bench.seconds)] as const);
    const rows = await takeTurns(WARM_UP_ROUNDS, bench.rounds, turns);
    const ratio = serviceAgainst(rows, metrics);
    tables.push({ title: `${title}, ${subtitle}`, rows, ratio, ...(tables.length === 0 && { chart }) });
  }
  for (const server of servers) await server.stop();
  return tables;
}
