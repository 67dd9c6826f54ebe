import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a load of requests came to. */
export type Measured = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

/**
 * Sends one request after another on each of some connections, for a time.
 *
 * @param url of the service
 * @param request its bytes for the n-th request
 * @throws {Error} when an answer is not 200: a failure must not pass for speed
 */
export async function measure(
  url: string,
  request: (n: number) => string,
  { connections, durationMs }: { readonly connections: number; readonly durationMs: number },
): Promise<Measured> {
  const { hostname, port } = new URL(url);
  const latencies: number[] = [];
  let sent = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  const clients = Array.from({ length: connections }, async () => {
    const socket = connect(Number(port), hostname).setNoDelay();
    await once(socket, 'connect');
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      await exchange(socket, request((sent += 1)));
      latencies.push(performance.now() - sentAt);
    }
    socket.destroy();
  });
  await Promise.all(clients);
  const seconds = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? NaN;
  return { perSecond: latencies.length / seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** The answers are short and come in one piece, so that reading them costs next to nothing. */
function exchange(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('close', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.off('close', reject);
      const answer = bytes.toString('latin1');
      if (answer.startsWith('HTTP/1.1 200 ')) resolve();
      else reject(new Error(`answered ${answer.slice(0, 200)}`));
    });
    socket.write(request);
  });
}
