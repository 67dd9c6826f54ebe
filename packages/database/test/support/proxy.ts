import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { cleanUp } from '@contract-first/testing/cleanup.ts';

/** Which message the proxy drops before it closes both connections. */
export type Loss = 'the message is lost' | 'the answer is lost';

/** Starts a TCP proxy to a local server. It can close its connections, or silently drop all data. */
export async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  let isStalled = false;
  let pending: { readonly text: string; readonly loss: Loss } | undefined;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.on('data', (data) => {
      if (isStalled) return;
      if (pending === undefined || !data.includes(pending.text)) {
        upstream.write(data);
        return;
      }
      const { loss } = pending;
      pending = undefined;
      upstream.removeAllListeners('data').once('data', () => upstream.destroy());
      if (loss === 'the answer is lost') upstream.write(data);
      else upstream.destroy();
    });
    upstream.on('data', (data) => !isStalled && client.write(data));
    client.on('close', () => upstream.destroy()).on('error', () => upstream.destroy());
    upstream.on('close', () => client.destroy()).on('error', () => client.destroy());
    sockets.add(client).add(upstream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxyPort = (server.address() as AddressInfo).port; // Only pipes have a string address.
  const cut = (): void => {
    sockets.forEach((socket) => socket.destroy());
    sockets.clear();
  };
  const stop = (): void => {
    server.close();
    cut();
  };
  cleanUp(stop);
  return {
    /** Returns the URL of a database through this proxy. */
    through: (url: string): string => url.replace(/:\d+\//, `:${String(proxyPort)}/`),
    /** Closes every connection. */
    cut,
    /** Closes every connection, and accepts no further connections. */
    stop,
    stall: () => (isStalled = true),
    resume: () => (isStalled = false),
    /** Drops the next message with a text, or the answer to it, and then closes the connection. */
    lose: (text: string, loss: Loss) => {
      pending = { text, loss };
    },
  };
}
