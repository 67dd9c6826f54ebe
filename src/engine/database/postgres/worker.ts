import { setTimeout as sleep } from 'node:timers/promises';
import { BatchFailed, type BatchWorker } from '../batch-queue.ts';
import type { PostgresConnection } from './connection.ts';
import { detectSwitch, isConflict, PoolerSwitched, recoveryFor } from './errors.ts';

// By then, the server has ended the statement itself, if it is still there.
const ANSWER_GRACE_MS = 1_000;
const RETRY_PAUSE_MS = 20;
const CONFLICTS_MAX = 20;

/** Runs a batch in one transaction, and returns a result for each item. */
export type BatchStatement<Item, Result> = (
  connection: PostgresConnection,
  items: readonly Item[],
  limitMs: number,
) => Promise<readonly Result[]>;

/**
 * Makes a connection a worker of a batch queue.
 *
 * @param run may be called again with the same items, unless it throws {@link BatchFailed}
 */
export function createPostgresWorker<Item, Result>(
  connection: PostgresConnection,
  run: BatchStatement<Item, Result>,
  timeoutMs: number,
): BatchWorker<Item, Result> {
  const limitMs = timeoutMs + ANSWER_GRACE_MS;
  return {
    ready: connection.ready,
    async run(items) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await run(connection, items, limitMs);
        } catch (thrown) {
          const error = detectSwitch(thrown);
          const recovery = recoveryFor(error);
          if (recovery === undefined || !(error instanceof Error)) {
            connection.reset(); // The state of the session is unknown.
            throw error;
          }
          // Transactions that were in each other's way must not come again at the same moment.
          if (recovery === 'retry') await sleep(RETRY_PAUSE_MS * Math.random());
          // Conflicts of transactions are normal, and not reported.
          if (isConflict(error) && attempts < CONFLICTS_MAX) continue;
          if (recovery === 'retry' || error instanceof PoolerSwitched) connection.reset();
          throw new BatchFailed(recovery, error);
        }
      }
    },
  };
}
