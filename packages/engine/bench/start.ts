import { writeContract } from './contract.ts';
import { serviceAgainst, type Sample, type Table } from './result.ts';
import { takeTurns } from './rounds.ts';
import { PEERS, startServer, TOKEN, type Bench, type RunningServer, type ServerName, type Setup } from './servers.ts';
import { verify, verifyLog } from './verify.ts';

/** Compares the time from process start to the first stored guest, with a new SQLite database. */
export async function compareStarts(bench: Bench): Promise<readonly Table[]> {
  const contract = writeContract(bench.folder, 1);
  const measure = async (server: ServerName): Promise<Sample> => {
    const [running, startMs] = await startTimed(bench, { server, contract, keeping: 'group commit' });
    const peakMegabytes = running.usage()?.peakMegabytes;
    await running.stop();
    return { startMs, ...(peakMegabytes !== undefined && { peakMegabytes }) };
  };
  // The first start of the service fills its compile cache.
  const turns = (['service', ...PEERS] as const).map((name) => [name, () => measure(name)] as const);
  const rows = await takeTurns(1, bench.rounds, turns);
  const ratio = serviceAgainst(rows, ['startMs', 'peakMegabytes']);
  return [{ title: 'Cold start', rows, ratio, chart: 'startMs' }];
}

/** Starts and verifies a server; returns it with the time until its first 200. */
export async function startTimed(
  bench: Bench,
  setup: Setup,
): Promise<readonly [server: RunningServer, startMs: number]> {
  const startedAt = performance.now();
  const server = await startServer(bench, setup);
  const { status } = await fetch(server.target, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: '{"id":1,"name":"Anna"}',
  });
  const startMs = performance.now() - startedAt;
  if (status !== 200) throw new Error(`${server.name}: the first request got status ${String(status)}`);
  await verifyLog(server, 1);
  await verify(server, TOKEN);
  return [server, startMs];
}
