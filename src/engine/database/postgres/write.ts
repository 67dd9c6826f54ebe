import { BatchFailed } from '../batch-queue.ts';
import type { Written } from '../database.ts';
import type { Statement } from '../sql.ts';
import type { PostgresConnection } from './connection.ts';
import { isMistake, isOutcomeUnknown } from './errors.ts';

type WriteParts = {
  /** An SQL condition that raises an error unless a commit in this session is durable. */
  readonly guard: string;
  readonly waitForStandby: (connection: PostgresConnection, limitMs: number) => Promise<void>;
  readonly limitMs: number;
};

/**
 * Runs statements in one transaction. It may be run again after an error, unless that is {@link BatchFailed}: then a
 * COMMIT may have been carried out.
 */
export async function writeInTransaction(
  connection: PostgresConnection,
  statements: readonly Statement[],
  { guard, waitForStandby, limitMs }: WriteParts,
): Promise<readonly Written[]> {
  const written: Written[] = [];
  try {
    await connection.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 1 WHERE ${guard}`, [], limitMs);
    for (const { text, values } of statements) written.push(await runStatement(connection, text, values, limitMs));
  } catch (error) {
    await connection.query('ROLLBACK', [], limitMs).catch(connection.reset);
    throw error;
  }
  try {
    await connection.query('COMMIT', [], limitMs);
    // Rows that it found in the place of its own may not be on the standby yet.
    if (written.every(({ count }) => count === 0)) await waitForStandby(connection, limitMs);
  } catch (error) {
    if (!isOutcomeUnknown(error) || !(error instanceof Error)) throw error;
    connection.reset();
    throw new BatchFailed('wait', error);
  }
  return written;
}

/** Runs a statement of the application. A mistake in it says nothing about the database, so it becomes a plain error. */
export async function runStatement(
  connection: PostgresConnection,
  text: string,
  values: Statement['values'],
  limitMs: number,
): Promise<Written> {
  try {
    return await connection.run(text, values, limitMs);
  } catch (error) {
    throw isMistake(error) ? new Error((error as Error).message, { cause: error }) : error;
  }
}
