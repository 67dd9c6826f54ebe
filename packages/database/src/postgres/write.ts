import { BatchFailed } from '../batch-queue.ts';
import type { Written } from '../database.ts';
import type { Statement } from '../sql.ts';
import type { RunStatement } from '../transaction.ts';
import { waitForStandby, type Durability } from './durability.ts';
import { detectSwitch, explainValue, isMistake, isOutcomeUnknown, PoolerSwitched } from './errors.ts';
import type { Session } from './session.ts';

export type TransactionOptions = {
  readonly isolation: 'READ COMMITTED' | 'SERIALIZABLE';
  readonly durability: Durability;
  readonly limitMs: number;
};

/**
 * Runs work in one transaction. After an error other than {@link BatchFailed}, the work may be retried. {@link
 * BatchFailed} means that the COMMIT may have succeeded, or that the work is at fault.
 */
export async function inTransaction<Result>(
  session: Session,
  work: (run: RunStatement) => Promise<Result>,
  { isolation, durability, limitMs }: TransactionOptions,
): Promise<Result> {
  let changed = 0;
  let result: Result;
  try {
    await session.query(`BEGIN ISOLATION LEVEL ${isolation}; SELECT 1 WHERE ${durability.guard}`, [], limitMs);
    result = await work(async (statement, use) => {
      const written = await runStatement(session, statement, limitMs);
      if (use === 'write') changed += written.count;
      return written;
    });
  } catch (error) {
    await session.query('ROLLBACK', [], limitMs).catch(session.destroy);
    throw error;
  }
  try {
    await commit(session, durability, limitMs);
    // The transaction changed nothing, for example because its rows exist already. They may not be on the standby yet.
    if (changed === 0) await waitForStandby(session, durability, limitMs);
  } catch (error) {
    if (!isOutcomeUnknown(error) || !(error instanceof Error)) throw error;
    session.destroy();
    throw new BatchFailed('wait', error);
  }
  return result;
}

/** Commits, unless the transaction has changed the settings that make its commit durable. */
async function commit(session: Session, { guard }: Durability, limitMs: number): Promise<void> {
  try {
    await session.query(`SELECT 1 WHERE ${guard}; COMMIT`, [], limitMs);
  } catch (error) {
    if (isOutcomeUnknown(error)) throw error;
    await session.query('ROLLBACK', [], limitMs).catch(session.destroy);
    if (!(detectSwitch(error) instanceof PoolerSwitched)) throw error;
    // Poolers do not switch sessions within a transaction, so a statement of the transaction is the cause.
    session.destroy();
    const problem = 'a statement has changed synchronous_commit or statement_timeout; nothing was written';
    throw new BatchFailed('split', new Error(problem, { cause: error }));
  }
}

/** Runs a statement of the application. An invalid statement is not a database failure, so it causes a plain error. */
export async function runStatement(session: Session, { text, values }: Statement, limitMs: number): Promise<Written> {
  try {
    return await session.run(text, values, limitMs);
  } catch (error) {
    throw isMistake(error) ? new Error((error as Error).message, { cause: error }) : explainValue(error);
  }
}
