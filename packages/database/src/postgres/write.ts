import { BatchFailed } from '../batch-queue.ts';
import type { Written } from '../database.ts';
import type { Statement } from '../sql.ts';
import type { RunStatement } from '../transaction.ts';
import { waitForStandby, type Durability } from './durability.ts';
import { explainValue, isMistake, isOutcomeUnknown } from './errors.ts';
import type { Session } from './session.ts';

export type TransactionOptions = {
  readonly isolation: 'READ COMMITTED' | 'SERIALIZABLE';
  readonly durability: Durability;
  readonly limitMs: number;
};

/**
 * Does work in one transaction. It may be done again after an error, unless that is {@link BatchFailed}: then a COMMIT may
 * have been carried out, or the work is at fault.
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
    await session.query('COMMIT', [], limitMs);
    // Rows that it found in the place of its own may not be on the standby yet.
    if (changed === 0) await waitForStandby(session, durability, limitMs);
  } catch (error) {
    if (!isOutcomeUnknown(error) || !(error instanceof Error)) throw error;
    session.destroy();
    throw new BatchFailed('wait', error);
  }
  return result;
}

/** Runs a statement of the application. A mistake in it says nothing about the database, so it becomes a plain error. */
export async function runStatement(session: Session, { text, values }: Statement, limitMs: number): Promise<Written> {
  try {
    return await session.run(text, values, limitMs);
  } catch (error) {
    throw isMistake(error) ? new Error((error as Error).message, { cause: error }) : explainValue(error);
  }
}
