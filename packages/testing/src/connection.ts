import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { cleanUp } from './cleanup.ts';

/** A TCP connection for sending exact bytes. */
export type RawConnection = {
  readonly write: (text: string | Buffer) => void;
  /** Ends the sending side. */
  readonly end: () => void;
  /** Destroys the connection. */
  readonly reset: () => void;
  /** Resolves to the received text once it contains `text`, or when the peer closes the connection. */
  readonly receive: (text: string) => Promise<string>;
  /** Resolves to the received text once the peer has closed the connection. */
  readonly closed: () => Promise<string>;
};

/** Connects to a service. */
export async function openRawConnection(url: string): Promise<RawConnection> {
  const socket = connectTo(url);
  let received = '';
  let ended = false;
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  const end = (): void => void (ended = true);
  const closed = once(socket, 'close').then(end, end);
  await once(socket, 'connect');
  return {
    write: (text) => void socket.write(text),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    async receive(text) {
      while (!received.includes(text) && !ended) await Promise.race([once(socket, 'data'), closed]);
      return received;
    },
    async closed() {
      await closed;
      return received;
    },
  };
}

/** Sends a request on a new connection without reading the response. */
export async function sendUnread(url: string, request: string): Promise<Socket> {
  const socket = connectTo(url).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

/** Opens a socket. Destroys it when the test ends. A test may open more sockets than fit into memory at once. */
function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return socket.once(
    'close',
    cleanUp(() => void socket.destroy()),
  );
}

/**
 * Sends an incomplete creation and waits until the service has read it.
 *
 * @returns a function that sends the rest, and returns everything that the service sends until it disconnects
 */
export async function beginCreation({ url, token }: { readonly url: string; readonly token: string }) {
  const connection = await openRawConnection(url);
  const guest = guestRequest(token, '{"id":1,"name":"Anna"}');
  connection.write(guest.slice(0, -5));
  await fetch(url); // By the time of the response, all earlier bytes have been read.
  return async (): Promise<string> => {
    connection.write(guest.slice(-5));
    return connection.closed();
  };
}

/** Returns the text of a request to POST /guests. */
export function guestRequest(token: string, body: string, headers: readonly string[] = []): string {
  return [
    'POST /guests HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}
