import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { cleanUp } from './app.ts';

/** Starts a TCP proxy to the server that can be cut, or silently drop all data. */
export async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  let isStalled = false;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // prettier-ignore
      sockets.add(from);
      from.on('data', (data) => !isStalled && to.write(data));
      from.on('close', () => to.destroy()).on('error', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    sockets.forEach((socket) => socket.destroy());
    sockets.clear();
  };
  cleanUp(() => {
    server.close();
    cut();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall: () => (isStalled = true),
    resume: () => (isStalled = false),
  };
}
