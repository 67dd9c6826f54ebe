import { BatchFailed } from '../batch-queue.ts';
import type { Written } from '../database.ts';
import type { Statement } from '../sql.ts';
import { waitForStandby, type Durability } from './durability.ts';
import { isMistake, isOutcomeUnknown } from './errors.ts';
import type { Session } from './session.ts';

/**
 * Runs statements in one transaction. It may be run again after an error, unless that is {@link BatchFailed}: then a
 * COMMIT may have been carried out.
 */
export async function writeInTransaction(
  session: Session,
  statements: readonly Statement[],
  durability: Durability,
  limitMs: number,
): Promise<readonly Written[]> {
  const written: Written[] = [];
  try {
    await session.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 1 WHERE ${durability.guard}`, [], limitMs);
    for (const statement of statements) written.push(await runStatement(session, statement, limitMs));
  } catch (error) {
    await session.query('ROLLBACK', [], limitMs).catch(session.destroy);
    throw error;
  }
  try {
    await session.query('COMMIT', [], limitMs);
    // Rows that it found in the place of its own may not be on the standby yet.
    if (written.every(({ count }) => count === 0)) await waitForStandby(session, durability, limitMs);
  } catch (error) {
    if (!isOutcomeUnknown(error) || !(error instanceof Error)) throw error;
    session.destroy();
    throw new BatchFailed('wait', error);
  }
  return written;
}

/** Runs a statement of the application. A mistake in it says nothing about the database, so it becomes a plain error. */
export async function runStatement(session: Session, { text, values }: Statement, limitMs: number): Promise<Written> {
  try {
    return await session.run(text, values, limitMs);
  } catch (error) {
    throw isMistake(error) ? new Error((error as Error).message, { cause: error }) : error;
  }
}
