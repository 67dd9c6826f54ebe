import { BatchFailed } from './batch-queue.ts';
import type { Transaction, Written } from './database.ts';
import { compile, type Dialect, type Statement } from './sql.ts';

/** Runs a statement in an open transaction. */
export type RunStatement = (statement: Statement, use: 'read' | 'write') => Promise<Written>;
/** The part of an application that runs in a transaction. */
export type Work = {
  /** Calls the function of the application. */
  readonly start: (run: RunStatement) => Promise<unknown>;
  /** Receives the error of work that takes too long, while its last statement may still run. */
  readonly onTimeUp: (error: Error) => void;
};

/** Converts work that is written with queries to work that runs statements of a database. */
export function workOf(
  work: (transaction: Transaction) => Promise<unknown>,
  dialect: Dialect,
  onTimeUp: Work['onTimeUp'],
): Work {
  return {
    start: (run) =>
      work({
        read: async <Row>(query: Parameters<typeof compile>[0]) =>
          (await run(compile(query, dialect), 'read')).rows as readonly Row[], // As it declares.
        async write(...queries) {
          return Promise.all(queries.map((query) => run(compile(query, dialect), 'write')));
        },
      }),
    onTimeUp,
  };
}

/** Where the work of a transaction is done. */
export type Host = {
  readonly run: RunStatement;
  /** Whether an error of `run` is of the database, and not of the statement: another recovery than to reject it. */
  readonly isOfDatabase: (error: Error) => boolean;
  readonly limitMs: number;
};

/**
 * Does the work of a transaction. Statements run one after the other, and none after one that has failed.
 *
 * @returns the value of the work, which may be committed
 * @throws {BatchFailed} to reject the transaction, with the error of the work or of a statement
 * @throws the error of the database
 */
export async function doWork(work: Work, { run, isOfDatabase, limitMs }: Host): Promise<unknown> {
  let failure: Error | undefined;
  let isOver = false;
  let running: Statement | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const runNext: RunStatement = (statement, use) => {
    const next = last.then(async () => {
      if (failure !== undefined) throw failure;
      if (isOver) throw new Error('the transaction has ended: await all of its statements');
      running = statement;
      try {
        return await run(statement, use);
      } catch (error) {
        failure = toError(error);
        throw failure;
      } finally {
        running = undefined;
      }
    });
    last = next.catch(() => undefined);
    return next;
  };
  const timeUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const problem = `the transaction took longer than ${String(limitMs)} ms; nothing was written`;
    // Others wait for the statement, so the log has to name it.
    const error = new Error(running === undefined ? problem : `${problem}; it is running ${running.text}`);
    timeUp.reject(error);
    work.onTimeUp(error);
  }, limitMs);
  const working = Promise.resolve().then(() => work.start(runNext)); // It may throw at once.
  const outcome = await Promise.race([working, timeUp.promise]).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: toError(error) }),
  );
  clearTimeout(timer);
  if ('error' in outcome) isOver = true;
  await last; // Statements that the work has not awaited are part of it.
  isOver = true;
  if (failure !== undefined && isOfDatabase(failure)) throw failure;
  if ('error' in outcome) throw new BatchFailed('split', outcome.error);
  if (failure !== undefined) throw new BatchFailed('split', failure);
  return outcome.value;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
