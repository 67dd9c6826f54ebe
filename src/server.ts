import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';

/** A listening service. */
export type RunningServer = {
  /** Where it can be reached: `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Stops listening, lets the requests that are under way finish, and closes every connection; after `graceMs` without
   * asking.
   *
   * @returns whether every request was answered in time
   */
  readonly stop: (graceMs: number) => Promise<boolean>;
};

// How long a connection without a request stays open after the stop: a request that crosses the stop on its way is
// answered instead of reset (RFC 9112, 9.6).
const CROSSING_MS = 1_500;
const SWEEP_MS = 100;

/**
 * Serves HTTP.
 *
 * @param port 0 for any free one
 * @throws {NodeJS.ErrnoException} when it cannot listen there (`EADDRINUSE`, `EACCES`, `ENOTFOUND`)
 */
export async function startServer(listener: RequestListener, host: string, port: number): Promise<RunningServer> {
  let stopping = false;
  const sockets = new Set<Socket>();
  const underWay = new Set<ServerResponse>();
  const server = createServer((req, res) => {
    underWay.add(res);
    res.once('close', () => underWay.delete(res));
    if (stopping) askToClose(res);
    listener(req, res);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, family, port: boundPort } = server.address() as AddressInfo; // Only a pipe has another form.
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${String(boundPort)}`;

  /** Closes what has no request, be it kept alive or silent since it was opened. */
  function sweep(): void {
    const busy = new Set([...underWay].map(({ socket }) => socket));
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
  }

  return {
    url,
    stop: (graceMs) =>
      new Promise((resolve) => {
        stopping = true;
        underWay.forEach(askToClose);
        let inTime = true;
        const sweeper = setTimeout(
          () => {
            sweep();
            sweeping = setInterval(sweep, SWEEP_MS);
          },
          Math.min(CROSSING_MS, graceMs),
        );
        let sweeping: NodeJS.Timeout | undefined;
        const deadline = setTimeout(() => {
          inTime = underWay.size === 0;
          server.closeAllConnections();
          for (const socket of sockets) socket.destroy();
        }, graceMs);
        // http.Server's own close() would close idle connections at once, with the requests that are on their way.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(sweeper);
          clearInterval(sweeping);
          clearTimeout(deadline);
          resolve(inTime);
        });
      }),
  };
}

function askToClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}
