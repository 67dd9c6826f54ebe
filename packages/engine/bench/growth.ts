import { writeContract } from './contract.ts';
import type { Row, Sample, Table } from './result.ts';
import { load, takeTurns, WARM_UP_ROUNDS } from './rounds.ts';
import type { Bench } from './servers.ts';
import { startTimed } from './start.ts';

const OPERATIONS = [1, 10, 100, 1_000];
const CONNECTIONS = 64;

/** Compares the startup time and the cost of a request to the last operation as the contract grows. */
export async function compareGrowth(bench: Bench): Promise<readonly Table[]> {
  const cases = (['service', 'fastify-openapi-glue', 'stock'] as const).flatMap((server) =>
    OPERATIONS.map((operations) => ({ server, operations, contract: writeContract(bench.folder, operations) })),
  );
  const turns = cases.map(({ server, operations, contract }) => {
    const name = `${server}, ${operations.toLocaleString('en')} ${operations === 1 ? 'operation' : 'operations'}`;
    const measure = async (): Promise<Sample> => {
      const [running, startMs] = await startTimed(bench, { server, contract, keeping: 'none' });
      await load(running, CONNECTIONS, bench.seconds * WARM_UP_ROUNDS);
      const { cpuMicros } = await load(running, CONNECTIONS, bench.seconds);
      await running.stop();
      return { startMs, ...(cpuMicros !== undefined && { cpuMicros }) };
    };
    return [name, measure] as const;
  });
  const rows = await takeTurns(1, bench.rounds, turns);
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
