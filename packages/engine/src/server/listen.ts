import type { AddressInfo, Server } from 'node:net';

/** A server cannot listen on its address. The message gives the reason in one line. */
export class CannotListen extends Error {}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  ENOTSUP: 'this system does not support REUSE_PORT',
};

/** An address to listen on. */
export type ListenOptions = {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Sets SO_REUSEPORT: the kernel distributes connections among processes of the same user on the same port. */
  readonly reusePort?: boolean;
};

/**
 * Starts listening.
 *
 * @returns the base URL of the server: `http://127.0.0.1:3000`
 * @throws {CannotListen}
 */
export async function listen(server: Server, { host, port, reusePort = false }: ListenOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = ({ code = 'an unknown error', syscall = 'listen' }: NodeJS.ErrnoException): void => {
      const reason = REASONS[code] ?? `${syscall} failed with ${code}`;
      reject(new CannotListen(`cannot listen on ${host}:${String(port)}: ${reason}`));
    };
    server.once('error', fail).listen({ host, port, reusePort }, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const { address, family, port: boundPort } = server.address() as AddressInfo; // Only pipes have a string address.
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(boundPort)}`;
}
