import { BatchFailed } from './batch-queue.ts';
import type { Transaction, Written } from './database.ts';
import { compile, type Dialect, type Statement } from './sql.ts';

/** Runs a statement in an open transaction. */
export type RunStatement = (statement: Statement, use: 'read' | 'write') => Promise<Written>;
/** The application's function that runs in a transaction. */
export type TransactionWork = {
  /** Calls the application's function. */
  readonly start: (run: RunStatement) => Promise<unknown>;
  /** Receives the error when the work times out. Its last statement may still be running. */
  readonly onTimeUp: (error: Error) => void;
};

/** Converts work that runs queries to work that runs the statements of a database. */
export function compileWork(
  work: (transaction: Transaction) => Promise<unknown>,
  dialect: Dialect,
  onTimeUp: TransactionWork['onTimeUp'],
): TransactionWork {
  return {
    start: (run) =>
      work({
        read: async <Row>(query: Parameters<typeof compile>[0]) =>
          (await run(compile(query, dialect), 'read')).rows as readonly Row[], // The query declares its row type.
        async write(...queries) {
          return Promise.all(queries.map((query) => run(compile(query, dialect), 'write')));
        },
      }),
    onTimeUp,
  };
}

/** The database that runs the work of a transaction. */
export type Host = {
  readonly run: RunStatement;
  /** Whether an error of `run` is a database failure, not a faulty statement; the transaction may be retried. */
  readonly isOfDatabase: (error: Error) => boolean;
  readonly limitMs: number;
};

/**
 * Runs the work of a transaction. Statements run one after the other; after a failure, no more statements run.
 *
 * @returns the value of the work; the transaction can be committed
 * @throws {BatchFailed} to reject the transaction, with the error of the work or of a statement
 * @throws the error of a database failure
 */
export async function runTransactionWork(
  work: TransactionWork,
  { run, isOfDatabase, limitMs }: Host,
): Promise<unknown> {
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
    // Other writes wait for this statement, so the log must name it.
    const error = new Error(running === undefined ? problem : `${problem}; it is running ${running.text}`);
    timeUp.reject(error);
    work.onTimeUp(error);
  }, limitMs);
  const working = Promise.resolve().then(() => work.start(runNext)); // Catches synchronous errors, too.
  const outcome = await Promise.race([working, timeUp.promise]).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: toError(error) }),
  );
  clearTimeout(timer);
  if ('error' in outcome) isOver = true;
  await last; // Waits for statements that the work did not await.
  isOver = true;
  if (failure !== undefined && isOfDatabase(failure)) throw failure;
  if ('error' in outcome) throw new BatchFailed('split', outcome.error);
  if (failure !== undefined) throw new BatchFailed('split', failure);
  return outcome.value;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
