import { setTimeout as sleep } from 'node:timers/promises';
import { CommitFailed, type CommitWorker } from '../group-commit.ts';
import type { PostgresConnection } from './connection.ts';
import { detectSwitch, isConflict, PoolerSwitched, recoveryFor } from './errors.ts';

// By then, the server has ended the statement itself, if it is still there.
const ANSWER_GRACE_MS = 1_000;
const RETRY_PAUSE_MS = 20;
const CONFLICTS_MAX = 20;

/** One statement for all items of a group, with what there is to say of each. */
export type Statement<Item, Result> = (
  connection: PostgresConnection,
  items: readonly Item[],
  limitMs: number,
) => Promise<readonly Result[]>;

/**
 * A connection as a worker of a group commit.
 *
 * @param statement runs in a transaction of its own, and may be run again
 */
export function createPostgresWorker<Item, Result>(
  connection: PostgresConnection,
  statement: Statement<Item, Result>,
  timeoutMs: number,
): CommitWorker<Item, Result> {
  const limitMs = timeoutMs + ANSWER_GRACE_MS;
  return {
    ready: connection.ready,
    async commit(items) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await statement(connection, items, limitMs);
        } catch (thrown) {
          const error = detectSwitch(thrown);
          const recovery = recoveryFor(error);
          if (recovery === undefined || !(error instanceof Error)) {
            connection.reset(); // Nobody knows what state a bug has left it in.
            throw error;
          }
          // Those that were in each other's way do not come again at the same moment.
          if (recovery === 'retry') await sleep(RETRY_PAUSE_MS * Math.random());
          // Between transactions of a healthy database that is nothing to tell anybody.
          if (isConflict(error) && attempts < CONFLICTS_MAX) continue;
          if (recovery === 'retry' || error instanceof PoolerSwitched) connection.reset();
          throw new CommitFailed(recovery, error);
        }
      }
    },
  };
}
