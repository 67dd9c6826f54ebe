import { sendRequests } from './load.ts';
import type { Row, Sample } from './result.ts';
import { TOKEN, type RunningServer } from './servers.ts';
import { verifyLog } from './verify.ts';

/**
 * The number of discarded warm-up rounds. A server needs 3 to 6 s, or 20,000 to 50,000 requests, until the JIT has
 * compiled all code. In the first second, a request takes three times as much CPU time.
 */
export const WARM_UP_ROUNDS = 3;

/**
 * Measures several subjects alternately, so that other load on the machine affects all of them. Every second round has
 * the reverse order.
 *
 * @param warmUpRounds the number of initial rounds that are discarded
 * @param turns measures each subject once, by name
 */
export async function takeTurns(
  warmUpRounds: number,
  rounds: number,
  turns: readonly (readonly [name: string, measure: () => Promise<Sample>])[],
): Promise<readonly Row[]> {
  const subjects = turns.map(([name, measure]) => ({ name, measure, rounds: [] as Sample[] }));
  for (let round = 1 - warmUpRounds; round <= rounds; round += 1) {
    console.error(round < 1 ? 'warm-up' : `round ${String(round)} of ${String(rounds)}`);
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const sample = await subject.measure();
      if (round > 0) subject.rounds.push(sample);
    }
  }
  return subjects;
}

/** Measures a server under load, and verifies that it logs every request. */
export async function load(server: RunningServer, connections: number, seconds: number): Promise<Sample> {
  const before = server.usage();
  const request = createRequest(new URL(server.target).pathname);
  const { requests, perSecond, p50Ms, p99Ms } = await sendRequests(server.target, request, {
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
    const body = `{"id":${String(n)},"name":"Anna","tag":"friend"}`;
    return `POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  };
}
