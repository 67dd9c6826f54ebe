import { measure } from './load.ts';
import type { Sample } from './result.ts';
import { TOKEN, type RunningServer } from './servers.ts';
import { verifyLog } from './verify.ts';

/**
 * Measures several subjects alternately, so that other load on the machine affects all of them. Every second round has
 * the reverse order. The first round is a warm-up and is discarded.
 *
 * @returns the samples of each subject
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

/** Measures a server under load, and verifies that it logs every request. */
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
