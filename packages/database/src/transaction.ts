import { BatchFailed } from './batch-queue.ts';
import type { Transaction, StatementResult } from './database.ts';
import { compile, type Dialect, type Query, type Statement } from './sql.ts';

/** Runs a statement in an open transaction. */
export type RunStatement = (statement: Statement, use: 'read' | 'write') => Promise<StatementResult>;
/** Runs a part of an open transaction: all of its statements or none. Parts run one after the other. */
export type RunPart = <Result>(part: (run: RunStatement) => Promise<Result>) => Promise<Result>;
/** The work of a transaction, which runs queries. */
export type Work<Result> = (transaction: Transaction, runPart: RunPart) => Promise<Result>;
/** The work of a transaction, which runs the statements of a database. */
export type TransactionWork = {
  /** Calls the function that does the work. */
  readonly start: (run: RunStatement, runPart: RunPart) => Promise<unknown>;
  /** Receives the error when the work times out. Its last statement may still be running. */
  readonly onTimeUp: (error: Error) => void;
  /** Names the running statement, or else the work, for errors. `undefined` before and after the work. */
  running?: string | undefined;
};

const WORK = 'the work of a transaction';

/** Converts work that runs queries to work that runs the statements of a database. */
export function compileWork<Result>(
  work: Work<Result>,
  dialect: Dialect,
  onTimeUp: TransactionWork['onTimeUp'],
): TransactionWork {
  const start: TransactionWork['start'] = (run, runPart) => {
    const transaction: Transaction = {
      read: async <Row>(query: Query<Row>) => (await run(compile(query, dialect), 'read')).rows as readonly Row[], // The query declares its row type.
      async write(...queries) {
        return Promise.all(queries.map((query) => run(compile(query, dialect), 'write')));
      },
    };
    return work(transaction, runPart);
  };
  return { start, onTimeUp };
}

/** A transaction reached its time limit; nothing was written. */
export class TransactionTimeout extends Error {}

/** The database that runs the work of a transaction. */
export type TransactionHost = {
  readonly run: RunStatement;
  /** Whether an error of `run` is a database failure, not a faulty statement; the transaction may be retried. */
  readonly isDatabaseFailure: (error: Error) => boolean;
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
  { run, isDatabaseFailure, limitMs }: TransactionHost,
): Promise<unknown> {
  work.running = WORK;
  const statements = new StatementSequence(async (statement, use) => {
    work.running = statement.text;
    try {
      return await run(statement, use);
    } finally {
      work.running = WORK;
    }
  });
  const timeUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const problem = `the transaction took longer than ${String(limitMs)} ms; nothing was written`;
    // Other writes wait for the statement or the work, so the log must name it.
    const error = new TransactionTimeout(`${problem}; it is running ${work.running ?? WORK}`);
    timeUp.reject(error);
    work.onTimeUp(error);
  }, limitMs);
  const runPart = createParts(statements, isDatabaseFailure);
  const working = Promise.resolve().then(() => work.start(statements.run, runPart)); // Catches synchronous errors, too.
  const outcome = await Promise.race([working, timeUp.promise]).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: toError(error) }),
  );
  clearTimeout(timer);
  if ('error' in outcome) statements.isOver = true;
  await statements.end();
  const { failure } = statements;
  if (failure !== undefined && isDatabaseFailure(failure)) throw failure;
  if ('error' in outcome) throw new BatchFailed('split', outcome.error);
  if (failure !== undefined) throw new BatchFailed('split', failure);
  work.running = undefined;
  return outcome.value;
}

/** Runs statements one after the other; after a failure, no more statements run. */
class StatementSequence {
  failure: Error | undefined;
  isOver = false;
  readonly #run: RunStatement;
  #last: Promise<unknown> = Promise.resolve();

  constructor(run: RunStatement) {
    this.#run = run;
  }

  readonly run: RunStatement = (statement, use) => {
    const next = this.#last.then(async () => {
      if (this.failure !== undefined) throw this.failure;
      if (this.isOver) throw new Error('the transaction has ended: await all of its statements');
      try {
        return await this.#run(statement, use);
      } catch (error) {
        this.failure = toError(error);
        throw this.failure;
      }
    });
    this.#last = next.catch(() => undefined);
    return next;
  };

  /** Waits for statements that the work did not await. Later statements are rejected. */
  async end(): Promise<void> {
    await this.#last;
    this.isOver = true;
  }
}

const BEGIN_PART: Statement = { text: 'SAVEPOINT part', values: [] };
const END_PART: Statement = { text: 'RELEASE SAVEPOINT part', values: [] };
const UNDO_PART: Statement = { text: 'ROLLBACK TO SAVEPOINT part', values: [] };

/** Creates the function that runs a part of a transaction in a savepoint. */
function createParts(whole: StatementSequence, isDatabaseFailure: TransactionHost['isDatabaseFailure']): RunPart {
  let last: Promise<unknown> = Promise.resolve();
  return (part) => {
    const next = last.then(() => runPart(part));
    last = next.catch(() => undefined);
    return next;
  };

  async function runPart<Result>(part: (run: RunStatement) => Promise<Result>): Promise<Result> {
    await whole.run(BEGIN_PART, 'read');
    const statements = new StatementSequence(whole.run);
    try {
      const result = await part(statements.run);
      await statements.end();
      if (statements.failure !== undefined) throw statements.failure;
      await whole.run(END_PART, 'read');
      return result;
    } catch (error) {
      await statements.end();
      // A database failure ends the whole transaction.
      if (whole.failure === undefined || !isDatabaseFailure(whole.failure)) await undo(toError(error));
      throw error;
    }
  }

  async function undo(reason: Error): Promise<void> {
    whole.failure = undefined;
    try {
      await whole.run(UNDO_PART, 'read');
      await whole.run(END_PART, 'read');
    } catch (error) {
      // The failed statement has ended the whole transaction, as `INSERT OR ROLLBACK` does in SQLite.
      if (!isDatabaseFailure(toError(error))) whole.failure = reason;
    }
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
