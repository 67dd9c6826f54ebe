import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections, and the answers that are owed on each of them. */
export type Connections = {
  /**
   * Takes a new connection in. Where there are as many as there may be, the one that has gone longest without a request
   * is closed for it; one whose request is being answered never is.
   *
   * @returns whether there is room
   */
  readonly open: (socket: Socket) => boolean;
  /**
   * Notes that a request is owed an answer.
   *
   * @returns whether it is; not after an answer that closes the connection (RFC 9112, 9.6)
   */
  readonly begin: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** The last answer that is owed on a connection. */
  readonly lastOwed: (socket: Socket) => ServerResponse | undefined;
  /** Calls back once nothing is owed on a connection that is still there. */
  readonly whenAnswered: (socket: Socket, callback: () => void) => void;
  readonly count: () => number;
  /** Whether anything is owed to anybody. */
  readonly isBusy: () => boolean;
  /** Lets the last answer that is owed on each connection close it, also of those that come from now on. */
  readonly askToClose: () => void;
  /** Closes the connections on which nothing is owed. */
  readonly closeIdle: () => void;
  readonly closeAll: () => void;
};

/** Starts without a connection. */
export function createConnections(limit: number): Connections {
  // In the order of their last answer, or of their opening where there was none yet.
  const connections = new Map<Socket, Set<ServerResponse>>();
  const waiting = new Map<Socket, () => void>();
  let closing = false;

  return {
    open(socket) {
      if (connections.size >= limit) {
        const idlest = find((owed) => owed.size === 0) ?? find(isStillSending);
        if (idlest === undefined) return false;
        drop(idlest);
        idlest.destroy();
      }
      connections.set(socket, new Set());
      socket.once('close', () => {
        drop(socket);
      });
      return true;
    },

    begin(req, res) {
      const { socket } = req;
      const owed = connections.get(socket);
      const previous = lastOf(owed);
      if (owed === undefined || (previous !== undefined && isFinal(previous))) return false;
      if (closing && previous !== undefined) previous.shouldKeepAlive = true;
      if (closing) res.shouldKeepAlive = false;
      owed.add(res);
      res.once('close', () => {
        owed.delete(res);
        if (owed.size > 0 || !connections.delete(socket)) return;
        connections.set(socket, owed);
        waiting.get(socket)?.();
        waiting.delete(socket);
      });
      return true;
    },

    lastOwed: (socket) => lastOf(connections.get(socket)),

    whenAnswered(socket, callback) {
      const owed = connections.get(socket);
      if (owed === undefined) return;
      if (owed.size === 0) callback();
      else waiting.set(socket, callback);
    },

    count: () => connections.size,

    isBusy: () => connections.values().some((owed) => owed.size > 0),

    askToClose() {
      closing = true;
      for (const owed of connections.values()) {
        const last = lastOf(owed);
        if (last !== undefined && !last.headersSent) last.shouldKeepAlive = false;
      }
    },

    closeIdle() {
      for (const [socket, owed] of connections) if (owed.size === 0) socket.destroy();
    },

    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
  };

  function find(matches: (owed: ReadonlySet<ServerResponse>) => boolean): Socket | undefined {
    for (const [socket, owed] of connections) if (matches(owed)) return socket;
    return undefined;
  }

  function drop(socket: Socket): void {
    connections.delete(socket);
    waiting.delete(socket);
  }
}

function lastOf(owed: ReadonlySet<ServerResponse> | undefined): ServerResponse | undefined {
  return owed === undefined || owed.size === 0 ? undefined : [...owed].at(-1);
}

/** Whether an answer tells the client that the connection ends with it. */
function isFinal(res: ServerResponse): boolean {
  return res.headersSent && !res.shouldKeepAlive;
}

/** Whether the client has not sent the whole of any request that is owed an answer. */
function isStillSending(owed: ReadonlySet<ServerResponse>): boolean {
  return [...owed].every(({ req }) => !req.complete);
}
