import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections, and the answers that are pending on each of them. */
export type Connections = {
  /**
   * Takes a new connection in. Where there are as many as there may be, the one that has gone longest without a request
   * is closed for it; one whose request is being answered never is.
   *
   * @returns whether there is room
   */
  readonly open: (socket: Socket) => boolean;
  /**
   * Notes that a request is pending an answer.
   *
   * @returns whether it is; not after an answer that closes the connection (RFC 9112, 9.6)
   */
  readonly begin: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** The last answer that is pending on a connection. */
  readonly lastPending: (socket: Socket) => ServerResponse | undefined;
  /** Calls back once nothing is pending on a connection that is still there. */
  readonly whenAnswered: (socket: Socket, callback: () => void) => void;
  readonly count: () => number;
  /** Whether a response is pending for a request that has arrived. */
  readonly isBusy: () => boolean;
  /** Lets the last answer that is pending on each connection close it, also of those that come from now on. */
  readonly drain: () => void;
  /** Closes the connections on which nothing is pending. */
  readonly closeIdle: () => void;
  readonly closeAll: () => void;
};

type Connection = {
  /** In the order of their requests. */
  readonly pending: ServerResponse[];
  /** When the last answer was complete, or the connection was opened. */
  quietSince: number;
};

/** Starts without a connection. */
export function createConnections(limit: number): Connections {
  const connections = new Map<Socket, Connection>();
  const waiting = new Map<Socket, () => void>();
  let closing = false;

  return {
    open(socket) {
      if (connections.size >= limit) {
        const idlest = find(({ pending }) => pending.length === 0) ?? find(isStillSending);
        if (idlest === undefined) return false;
        drop(idlest);
        idlest.destroy();
      }
      connections.set(socket, { pending: [], quietSince: performance.now() });
      socket.once('close', () => {
        drop(socket);
      });
      return true;
    },

    begin(req, res) {
      const { socket } = req;
      const connection = connections.get(socket);
      const previous = lastOf(connection);
      if (connection === undefined || (previous !== undefined && isFinal(previous))) return false;
      if (closing && previous !== undefined) previous.shouldKeepAlive = true;
      if (closing) res.shouldKeepAlive = false;
      const { pending } = connection;
      pending.push(res);
      res.once('close', () => {
        pending.splice(pending.indexOf(res), 1);
        if (pending.length > 0 || !connections.has(socket)) return;
        connection.quietSince = performance.now();
        waiting.get(socket)?.();
        waiting.delete(socket);
      });
      return true;
    },

    lastPending: (socket) => lastOf(connections.get(socket)),

    whenAnswered(socket, callback) {
      const connection = connections.get(socket);
      if (connection === undefined) return;
      if (connection.pending.length === 0) callback();
      else waiting.set(socket, callback);
    },

    count: () => connections.size,

    isBusy: () => connections.values().some((connection) => !isStillSending(connection)),

    drain() {
      closing = true;
      for (const connection of connections.values()) {
        const last = lastOf(connection);
        if (last !== undefined && !last.headersSent) last.shouldKeepAlive = false;
      }
    },

    closeIdle() {
      for (const [socket, { pending }] of connections) if (pending.length === 0) socket.destroy();
    },

    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
  };

  /** Of those that match, the one that has been without an answer for longest. */
  function find(matches: (connection: Connection) => boolean): Socket | undefined {
    let idlest: readonly [Socket, Connection] | undefined;
    for (const entry of connections) {
      if (matches(entry[1]) && (idlest === undefined || entry[1].quietSince < idlest[1].quietSince)) idlest = entry;
    }
    return idlest?.[0];
  }

  function drop(socket: Socket): void {
    connections.delete(socket);
    waiting.delete(socket);
  }
}

function lastOf(connection: Connection | undefined): ServerResponse | undefined {
  return connection?.pending.at(-1);
}

/** Whether an answer tells the client that the connection ends with it. */
function isFinal(res: ServerResponse): boolean {
  return res.headersSent && !res.shouldKeepAlive;
}

/** Whether the client has not sent the whole of any request that is pending an answer. */
function isStillSending({ pending }: Connection): boolean {
  return pending.every(({ req }) => !req.complete);
}
