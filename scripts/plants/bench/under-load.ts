import { writeContract } from './contract.ts';
import { startPostgres } from './postgres.ts';
import { serviceAgainst, type Metric, type Table } from './result.ts';
import { load, takeTurns, WARM_UP_ROUNDS } from './rounds.ts';
import { PEERS, startVerified, type Bench, type Setup } from './servers.ts';

/** Compares the cost of HTTP, authentication, validation and logging under load, without a store. */
export async function compareWithoutStore(bench: Bench): Promise<readonly Table[]> {
  const setups = (['service', ...PEERS] as const).map((server) => ({ server, keeping: 'none' }) as const);
  return compare(bench, 'No store', setups, ['cpuMicros', 'requestsPerSecond', 'peakMegabytes'], 'cpuMicros');
}

/** Compares servers under load on separate SQLite databases. Peers run with the store of the service and with autocommit. */
export async function compareOnSqlite(bench: Bench): Promise<readonly Table[]> {
  return compareStores(bench, 'SQLite');
}

/** Compares servers under load on the PostgreSQL database of `DATABASE_URL`, or on a temporary one. */
export async function compareOnPostgres(bench: Bench): Promise<readonly Table[]> {
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl?.startsWith('postgres') === true) return compareStores(bench, 'PostgreSQL', databaseUrl);
  const postgres = await startPostgres(bench.cores);
  try {
    return await compareStores(bench, 'PostgreSQL', postgres.url);
  } finally {
    await postgres.stop();
  }
}

function compareStores(bench: Bench, title: string, databaseUrl?: string): Promise<readonly Table[]> {
  const setups = [
    { server: 'service', keeping: 'group commit', databaseUrl } as const,
    ...(['group commit', 'autocommit'] as const).flatMap((keeping) =>
      PEERS.map((server) => ({ server, keeping, databaseUrl })),
    ),
  ];
  return compare(bench, title, setups, ['requestsPerSecond', 'p99Ms'], 'requestsPerSecond');
}

async function compare(
  bench: Bench,
  title: string,
  setups: readonly Omit<Setup, 'contract'>[],
  metrics: readonly Metric[],
  chart: Metric,
): Promise<readonly Table[]> {
  const contract = writeContract(bench.folder, 1);
  const servers = await startVerified(
    bench,
    setups.map((setup) => ({ ...setup, contract })),
  );
  const measureWith = async (connections: number) => {
    console.error(`${title}: ${String(connections)} connections`);
    const turns = servers.map((server) => [server.name, () => load(server, connections, bench.seconds)] as const);
    return takeTurns(WARM_UP_ROUNDS, bench.rounds, turns);
  };
  const many = await measureWith(64);
  const one = await measureWith(1);
  for (const server of servers) await server.stop();
  return [
    { title: `${title}, 64 connections`, rows: many, ratio: serviceAgainst(many, metrics), chart },
    { title: `${title}, one request at a time`, rows: one, ratio: serviceAgainst(one, ['p50Ms']) },
  ];
}
