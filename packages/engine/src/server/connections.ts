import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { abortResponse } from '../http/accept/disconnect.ts';

/** Tracks the open connections and the pending responses of each. */
export type Connections = {
  /**
   * Adds a new connection. At the limit, closes the connection that has gone longest without a response: an idle
   * connection, or else a connection whose request is incomplete.
   *
   * @returns `false` when the limit is reached and no connection can be closed
   */
  readonly add: (socket: Socket) => boolean;
  /**
   * Registers the response to a request as pending. Closes a connection with too many pending responses.
   *
   * @returns `false` after a response that closes the connection: later requests get no response (RFC 9112, 9.6)
   */
  readonly register: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Returns the pending responses of a connection, in the order of the requests. */
  readonly pending: (socket: Socket) => readonly ServerResponse[];
  /** Calls back once when an open connection has no pending response. */
  readonly whenIdle: (socket: Socket, callback: () => void) => void;
  /**
   * Sets the timeout of the connections whose client has not taken the response yet. Repeated calls take less time than
   * a timer for each request.
   */
  readonly limitSending: (timeoutMs: number) => void;
  readonly count: () => number;
  /** Whether any complete request has a pending response. */
  readonly isBusy: () => boolean;
  /** Sends `Connection: close` with the last pending response of each connection, and with later responses. */
  readonly drain: () => void;
  /**
   * Closes the connections without a pending response, and those whose request is incomplete and has made no progress
   * for `stallMs`, as seen by repeated calls.
   */
  readonly closeIdle: (stallMs: number) => void;
  readonly closeAll: () => void;
};

type Connection = {
  /** The pending responses, in the order of the requests. */
  readonly pending: ServerResponse[];
  /** The time at which the last response was complete or the connection was opened. */
  idleSince: number;
  /** The received bytes and the time at which `closeIdle` saw them change. */
  progress?: { readonly bytesRead: number; readonly seenAt: number };
  onIdle?: (() => void) | undefined;
};

// A pipeline of requests takes much more memory than its bytes. No known client pipelines as many requests.
const PENDING_MAX = 1_000;

/** Creates an empty connection registry. */
export function createConnections(limit: number): Connections {
  const connections = new Map<Socket, Connection>();
  let draining = false;

  return {
    add(socket) {
      if (connections.size >= limit) {
        const idlest = findIdlest(({ pending }) => pending.length === 0) ?? findIdlest(isReceiving);
        if (idlest === undefined) return false;
        close(idlest);
        connections.delete(idlest);
      }
      connections.set(socket, { pending: [], idleSince: performance.now() });
      socket.once('close', () => {
        connections.delete(socket);
      });
      return true;
    },

    register(req, res) {
      const { socket } = req;
      const connection = connections.get(socket);
      const previous = lastOf(connection);
      if (connection === undefined || (previous !== undefined && closesConnection(previous))) return false;
      if (draining && previous !== undefined) previous.shouldKeepAlive = true;
      if (draining) res.shouldKeepAlive = false;
      const { pending } = connection;
      if (pending.length === PENDING_MAX) {
        close(socket);
        return false;
      }
      pending.push(res);
      res.on('close', release);
      return true;
    },

    pending: (socket) => connections.get(socket)?.pending ?? [],

    whenIdle(socket, callback) {
      const connection = connections.get(socket);
      if (connection === undefined) return;
      if (connection.pending.length === 0) callback();
      else connection.onIdle = callback;
    },

    limitSending(timeoutMs) {
      for (const [socket, { pending }] of connections) {
        const isSending = pending.length > 0 && socket.writableLength > 0;
        if (isSending && socket.timeout !== timeoutMs) socket.setTimeout(timeoutMs);
      }
    },

    count: () => connections.size,

    isBusy: () => connections.values().some((connection) => !isReceiving(connection)),

    drain() {
      draining = true;
      for (const connection of connections.values()) {
        const last = lastOf(connection);
        if (last !== undefined && !last.headersSent) last.shouldKeepAlive = false;
      }
    },

    closeIdle(stallMs) {
      const now = performance.now();
      for (const [socket, connection] of connections) {
        const { progress, pending } = connection;
        if (progress?.bytesRead !== socket.bytesRead) {
          connection.progress = { bytesRead: socket.bytesRead, seenAt: now };
        }
        const isStalled = now - (connection.progress?.seenAt ?? now) >= stallMs;
        if (pending.length === 0 || (isReceiving(connection) && isStalled)) close(socket);
      }
    },

    closeAll() {
      for (const socket of connections.keys()) close(socket);
    },
  };

  function close(socket: Socket): void {
    const first = connections.get(socket)?.pending[0];
    if (first !== undefined) abortResponse(first);
    socket.destroy();
  }

  /** Removes a pending response. A single function for all responses saves a closure per request. */
  function release(this: ServerResponse): void {
    const connection = connections.get(this.req.socket);
    if (connection === undefined) return;
    const { pending } = connection;
    pending.splice(pending.indexOf(this), 1);
    if (pending.length > 0) return;
    connection.idleSince = performance.now();
    connection.onIdle?.();
    connection.onIdle = undefined;
  }

  /** Finds the matching connection that has gone longest without a response. */
  function findIdlest(matches: (connection: Connection) => boolean): Socket | undefined {
    let idlest: readonly [Socket, Connection] | undefined;
    for (const entry of connections) {
      if (matches(entry[1]) && (idlest === undefined || entry[1].idleSince < idlest[1].idleSince)) idlest = entry;
    }
    return idlest?.[0];
  }
}

function lastOf(connection: Connection | undefined): ServerResponse | undefined {
  return connection?.pending.at(-1);
}

/** Whether a response has been sent with `Connection: close`. */
function closesConnection(res: ServerResponse): boolean {
  return res.headersSent && !res.shouldKeepAlive;
}

/** Whether all requests with a pending response are incomplete. */
function isReceiving({ pending }: Connection): boolean {
  return pending.every(({ req }) => !req.complete);
}
