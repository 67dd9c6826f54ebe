import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector } from './connector.ts';
import { SessionLost, type Row, type Session } from './session.ts';

/** One connection to the server that accepts writes; reconnects when needed. */
export type PostgresConnection = {
  /** Resolves once connected, however long that takes, or closed. Never rejects. */
  readonly ready: () => Promise<void>;
  /** As {@link Session.query}. */
  readonly query: Session['query'];
  /** As {@link Session.run}. */
  readonly run: Session['run'];
  /** Drops the connection after an error of the server; the next `ready` reconnects. */
  readonly reset: () => void;
  /** Does not wait for a server that does not answer. */
  readonly close: () => Promise<void>;
};

const PAUSE_MS = 250;

/**
 * @param onFailed receives the error whenever no server can be used
 * @param session may already be open
 */
export function createPostgresConnection(
  connector: Connector,
  onFailed: (error: unknown) => void,
  session?: Session,
): PostgresConnection {
  const closed = new AbortController();
  const isClosed = (): boolean => closed.signal.aborted;
  return {
    async ready() {
      while (session?.isLost() !== false && !isClosed()) {
        try {
          session = await connector.connect(closed.signal);
          if (isClosed()) session.destroy();
        } catch (error) {
          if (isClosed()) return;
          onFailed(error);
          await pause(closed.signal);
        }
      }
    },
    query: async (...statement): Promise<readonly Row[]> => current().query(...statement),
    run: async (...statement) => current().run(...statement),
    reset() {
      session?.destroy();
    },
    async close() {
      closed.abort();
      await session?.close();
    },
  };

  function current(): Session {
    if (session === undefined) throw new SessionLost('there is no connection to the database');
    return session;
  }
}

/** Waits before all hosts are tried again; not all clients at the same time. */
export async function pause(signal: AbortSignal): Promise<void> {
  // Rejects when aborted: then there is nothing to wait for.
  await sleep(PAUSE_MS * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
}
