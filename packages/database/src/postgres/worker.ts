import { setTimeout as sleep } from 'node:timers/promises';
import { BatchFailed, type BatchWorker } from '../batch-queue.ts';
import type { Connector } from './connector.ts';
import { detectSwitch, explainRejectedValue, isConflict, PoolerSwitched, recoveryFor } from './errors.ts';
import { SessionLost, type Session } from './session.ts';

/**
 * Runs a batch in one transaction, and returns a result for each item. After an error other than {@link BatchFailed},
 * it may be called again with the same items.
 */
export type BatchStatement<Item, Result> = (
  session: Session,
  items: readonly Item[],
  limitMs: number,
) => Promise<readonly Result[]>;

export type WorkerParts<Item, Result> = {
  readonly connector: Connector;
  readonly run: BatchStatement<Item, Result>;
  readonly timeoutMs: number;
  /** Receives the error whenever no server can be used. */
  readonly onFailed: (error: unknown) => void;
  /** An open session to use first. */
  readonly session?: Session | undefined;
};

// A working server ends a late statement itself within this time.
const ANSWER_GRACE_MS = 1_000;
const RETRY_PAUSE_MS = 20;
const LONGEST_RETRY_PAUSE_MS = 200;
const RECONNECT_PAUSE_MS = 250;

/** A worker of a batch queue, with one connection to the server that accepts writes. Reconnects when needed. */
export class PostgresWorker<Item, Result> implements BatchWorker<Item, Result> {
  readonly #parts: WorkerParts<Item, Result>;
  readonly #closed = new AbortController();
  #session: Session | undefined;

  constructor(parts: WorkerParts<Item, Result>) {
    this.#parts = parts;
    this.#session = parts.session;
  }

  /** Resolves once connected, or closed. */
  async ready(): Promise<void> {
    while (this.#session?.isLost() !== false && !this.#isClosed()) {
      try {
        this.#session = await this.#parts.connector.connect(this.#closed.signal);
        if (this.#isClosed()) this.#session.destroy();
      } catch (error) {
        if (this.#isClosed()) return;
        this.#parts.onFailed(error);
        await pause(this.#closed.signal);
      }
    }
  }

  async run(items: readonly Item[]): Promise<readonly Result[]> {
    const { run, timeoutMs } = this.#parts;
    const deadline = performance.now() + timeoutMs;
    for (let attempts = 1; ; attempts += 1) {
      try {
        if (this.#session === undefined) throw new SessionLost('the connection to the database is lost');
        return await run(this.#session, items, timeoutMs + ANSWER_GRACE_MS);
      } catch (thrown) {
        if (thrown instanceof BatchFailed) throw thrown;
        const error = detectSwitch(explainRejectedValue(thrown));
        const recovery = recoveryFor(error);
        if (recovery === undefined || !(error instanceof Error)) {
          this.#session?.destroy(); // The state of the session is unknown.
          throw error;
        }
        // A random pause, so that conflicting transactions do not retry at the same moment.
        const longestPauseMs = Math.min(attempts * RETRY_PAUSE_MS, LONGEST_RETRY_PAUSE_MS);
        if (recovery === 'retry') await sleep(longestPauseMs * Math.random());
        if (isConflict(error)) {
          // Conflicts are normal and are not reported.
          if (performance.now() < deadline) continue;
          throw new BatchFailed('wait', error); // All items have timed out.
        }
        if (recovery === 'retry' || error instanceof PoolerSwitched) this.#session?.destroy();
        throw new BatchFailed(recovery, error);
      }
    }
  }

  /** Closes the connection. Does not wait for an unresponsive server. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#session?.close();
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }
}

/** Pauses before all hosts are tried again; the random duration spreads the retries of several clients. */
export async function pause(signal: AbortSignal): Promise<void> {
  // sleep() rejects when aborted, which ends the pause.
  await sleep(RECONNECT_PAUSE_MS * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
}
