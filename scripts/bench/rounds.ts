import { measure } from './load.ts';
import type { Sample } from './result.ts';
import { TOKEN, type RunningServer } from './servers.ts';
import { verifyLog } from './verify.ts';

/**
 * Measures some things in turns, so that whatever else the machine does, it does to all of them. Every other round goes
 * backwards, and the first one, a warm-up, does not count.
 *
 * @returns the samples of each of them
 */
export async function takeTurns(
  rounds: number,
  turns: readonly (() => Promise<Sample>)[],
): Promise<readonly (readonly Sample[])[]> {
  const samples = turns.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    console.error(round === 0 ? 'warm-up' : `round ${String(round)} of ${String(rounds)}`);
    const order = [...turns.entries()];
    for (const [index, turn] of round % 2 === 0 ? order : order.reverse()) {
      const sample = await turn();
      if (round > 0) samples[index]?.push(sample);
    }
  }
  return samples;
}

/** Puts a server under load, and sees to it that it logs every request. */
export async function load(server: RunningServer, connections: number, seconds: number): Promise<Sample> {
  const before = server.usage();
  const request = createRequest(new URL(server.target).pathname);
  const { requests, perSecond, p50Ms, p99Ms } = await measure(server.target, request, {
    connections,
    durationMs: seconds * 1_000,
  });
  const after = server.usage();
  await verifyLog(server, requests);
  return {
    requestsPerSecond: perSecond,
    p50Ms,
    p99Ms,
    ...(before && after && { cpuMicros: (after.cpuMicros - before.cpuMicros) / requests }),
    ...(after && { peakMegabytes: after.peakMegabytes }),
  };
}

function createRequest(path: string): (n: number) => string {
  const headers = `Host: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json`;
  return (n) => {
    const body = `{"id":${String(n)},"name":"Fern","tag":"indoor"}`;
    return `POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  };
}
