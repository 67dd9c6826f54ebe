import type { AddressInfo, Server } from 'node:net';

/**
 * Makes a server listen.
 *
 * @param port 0 for any free one
 * @returns where it can be reached: `http://127.0.0.1:3000`
 * @throws {NodeJS.ErrnoException} when it cannot listen there (`EADDRINUSE`, `EACCES`, `ENOTFOUND`)
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, family, port: boundPort } = server.address() as AddressInfo; // Only a pipe has another form.
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(boundPort)}`;
}
