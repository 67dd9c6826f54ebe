import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';

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

/**
 * Serves HTTP.
 *
 * @param port 0 for any free one
 * @throws {NodeJS.ErrnoException} when it cannot listen there (`EADDRINUSE`, `EACCES`, `ENOTFOUND`)
 */
export async function startServer(listener: RequestListener, host: string, port: number): Promise<RunningServer> {
  let stopping = false;
  const underWay = new Set<ServerResponse>();
  const server = createServer((req, res) => {
    underWay.add(res);
    res.once('close', () => underWay.delete(res));
    if (stopping) askToClose(res);
    listener(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { address, family, port: boundPort } = server.address() as AddressInfo; // Only a pipe has another form.
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${String(boundPort)}`;

  return {
    url,
    stop: (graceMs) =>
      new Promise((resolve) => {
        stopping = true;
        underWay.forEach(askToClose);
        let inTime = true;
        const sweep = setTimeout(() => {
          server.closeIdleConnections();
          sweep.refresh();
        }, CROSSING_MS);
        const deadline = setTimeout(() => {
          inTime = false;
          server.closeAllConnections();
        }, graceMs);
        // http.Server's own close() would close idle connections at once, with the requests that are on their way.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(sweep);
          clearTimeout(deadline);
          resolve(inTime);
        });
      }),
  };
}

function askToClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}
