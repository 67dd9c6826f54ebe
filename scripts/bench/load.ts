import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a load of requests came to. */
export type Measured = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/**
 * Sends one request after another on each of some connections, for a time, and waits for the last answers.
 *
 * A client of its own: on `node:http` doing nothing, in the same rounds, it made 28,000 to 60,000 requests a second with
 * one core, autocannon 14,000 to 38,000, and autocannon rounds latencies to whole milliseconds, of which a lone request
 * takes a small part. The fastest server of the bench answers half as many, so that it is the server that is measured.
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
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay().setEncoding('latin1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  const latencies: number[] = [];
  let sent = 0;
  const next = (): string => request((sent += 1));
  const startedAt = performance.now();
  await Promise.all(sockets.map((socket) => keepBusy(socket, next, startedAt + durationMs, latencies)));
  const seconds = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? NaN;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}

/** Goes on until a moment, and adds the latency of each request to a list. */
function keepBusy(socket: Socket, next: () => string, endsAt: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(next());
    };
    socket.on('data', (text: string) => {
      answer += text;
      if (!isWhole(answer)) return;
      const now = performance.now();
      latencies.push(now - sentAt);
      if (!answer.startsWith('HTTP/1.1 200 ')) socket.destroy(new Error(`answered ${answer.slice(0, 300)}`));
      else if (now >= endsAt) socket.destroy();
      else send();
      answer = '';
    });
    socket.on('error', reject).on('close', () => {
      if (performance.now() >= endsAt) resolve();
      else reject(new Error('the server has closed a connection'));
    });
    send();
  });
}

function isWhole(answer: string): boolean {
  const headEnds = answer.indexOf('\r\n\r\n');
  if (headEnds === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return length !== undefined && answer.length >= headEnds + 4 + Number(length);
}
