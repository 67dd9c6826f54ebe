import type { AddressInfo, Server } from 'node:net';

/** A server cannot listen where it should; the message says why, in one line. */
export class CannotListen extends Error {}

/**
 * Makes a server listen.
 *
 * @param port 0 for any free one
 * @returns where it can be reached: `http://127.0.0.1:3000`
 * @throws {CannotListen}
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = ({ code = 'an unknown error', syscall = 'listen' }: NodeJS.ErrnoException): void => {
      const reason = code === 'EADDRINUSE' ? 'the port is in use' : `${syscall} failed with ${code}`;
      reject(new CannotListen(`cannot listen on ${host}:${String(port)}: ${reason}`));
    };
    server.once('error', fail).listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const { address, family, port: boundPort } = server.address() as AddressInfo; // Only a pipe has another form.
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(boundPort)}`;
}
