import { writeContract } from './contract.ts';
import type { Row, Table } from './result.ts';
import { load, takeTurns } from './rounds.ts';
import type { Bench } from './servers.ts';
import { startTimed } from './start.ts';

const OPERATIONS = [1, 10, 100, 1_000];
const CONNECTIONS = 64;

/** Compares the startup time and the cost of a request to the last operation as the contract grows. */
export async function compareGrowth(bench: Bench): Promise<readonly Table[]> {
  const cases = (['service', 'fastify-openapi-glue', 'stock'] as const).flatMap((server) =>
    OPERATIONS.map((operations) => ({ server, operations, contract: writeContract(bench.folder, operations) })),
  );
  const samples = await takeTurns(
    bench.rounds,
    cases.map(({ server, contract }) => async () => {
      const [running, startMs] = await startTimed(bench, { server, contract, keeping: 'none' });
      await load(running, CONNECTIONS, bench.seconds / 2); // Warms up.
      const { cpuMicros } = await load(running, CONNECTIONS, bench.seconds);
      await running.stop();
      return { startMs, ...(cpuMicros !== undefined && { cpuMicros }) };
    }),
  );
  const rows = cases.map(({ server, operations }, index) => ({
    name: `${server}, ${operations.toLocaleString('en')} ${operations === 1 ? 'operation' : 'operations'}`,
    rounds: samples[index] ?? [],
  }));
  const withOne = (row: Row): Row => rows[Math.floor(rows.indexOf(row) / OPERATIONS.length) * OPERATIONS.length] ?? row;
  return [
    {
      title: 'Growth, last operation, no store, 64 connections',
      rows,
      ratio: { title: 'this ÷ with 1', metrics: ['cpuMicros', 'startMs'], of: (row) => [row, withOne(row)] },
      chart: 'cpuMicros',
    },
  ];
}
