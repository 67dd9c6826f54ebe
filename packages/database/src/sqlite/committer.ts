import { realpathSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { ChangeResult, CommittedChange, Insert } from '../commits.ts';
import { type BatchDefinition, DatabaseUnavailable, keyBytesOf, type StatementResult } from '../database.ts';
import type { Statement } from '../sql.ts';
import { explainConstraint } from './constraint-violation.ts';
import { StatementRejected } from './errors.ts';
import { createTransact, probeWrite } from './open-file.ts';
import { rowsWithin, Statements } from './statements.ts';

// 8 MiB of log, twice SQLite's default: commits wait during a checkpoint.
const CHECKPOINT_PAGES = 2_000;

/** The batch statement of a definition, and its table. */
export type InsertStatement = Pick<BatchDefinition<never>['insert'], 'table' | 'sqlite'>;

/** A step of an interactive transaction: its beginning, a statement or its end. */
export type TransactionStep = { readonly step: 'begin' | 'commit' | 'rollback' | Statement };
/** A change that can be sent to a thread. */
export type PlainChange = Exclude<CommittedChange, { readonly work: unknown }>;

/** A committed transaction. */
export type Commit = {
  readonly results: readonly ChangeResult[];
  /** How long the disk took, without the statements. */
  readonly syncMs: number;
  /** Whether the log is long enough for a checkpoint. */
  readonly isLogLong: boolean;
};

/**
 * Creates the function that commits changes in one transaction, or runs a step of an interactive transaction.
 *
 * @param checkFiles throws when the database files were moved or replaced
 * @param stepLimitMs the time limit for the rows of a statement in a step
 */
export function createCommitter(
  database: DatabaseSync,
  insert: InsertStatement | undefined,
  checkFiles: () => void,
  stepLimitMs: number,
): (changes: readonly (PlainChange | TransactionStep)[]) => Commit {
  const statements = new Statements(database);
  const transact = createTransact(database);
  const add = createAdd(database, insert);
  const logState = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  // Reading the state takes 6 µs.
  const isLong = throttle(() => {
    try {
      const { log, checkpointed } = logState.get() as Record<'log' | 'checkpointed', number>; // Documented by SQLite.
      return log - checkpointed >= CHECKPOINT_PAGES;
    } catch {
      return true; // The commit was successful. The checkpoint will report the error.
    }
  });
  return (changes) => {
    let appliedAt = performance.now();
    try {
      const [first] = changes;
      if (typeof first === 'object' && 'step' in first) {
        const results = [runStep(first.step)];
        return toCommit(results, appliedAt);
      }
      checkFiles();
      const results = transact(() => {
        const applied = (changes as readonly PlainChange[]).map(apply); // A step always has its own batch.
        appliedAt = performance.now();
        return applied;
      });
      return toCommit(results, appliedAt);
    } catch (error) {
      throw explainConstraint(database, error);
    }
  };

  function toCommit(results: Commit['results'], appliedAt: number): Commit {
    const syncMs = performance.now() - appliedAt;
    return { results, syncMs, isLogLong: !database.isTransaction && isLong() === true };
  }

  function runStep(step: TransactionStep['step']): readonly StatementResult[] {
    if (typeof step === 'object') return [run(step, stepLimitMs)];
    if (step === 'begin') {
      checkFiles();
      database.exec('BEGIN IMMEDIATE');
    } else if (step === 'commit') database.exec('COMMIT');
    else if (database.isTransaction) database.exec('ROLLBACK'); // A failed statement may have ended the transaction.
    return [];
  }

  function apply(change: PlainChange): ChangeResult {
    if (change === 'check') {
      probeWrite(database);
      return true;
    }
    return 'row' in change ? add(change) : change.statements.map((statement) => run(statement));
  }

  function run({ text, values }: Statement, limitMs = Infinity): StatementResult {
    return statements.use(text, (statement) => {
      if (statement.columns().length === 0) return { rows: [], count: Number(statement.run(...values).changes) };
      const late = `the statement took longer than ${String(limitMs)} ms; it was running ${text}`;
      const rows = rowsWithin(statement, values, limitMs, () => new StatementRejected(late));
      return { rows, count: rows.length };
    });
  }
}

/** Creates the function that inserts a row with the batch statement, and returns whether the row was inserted now. */
function createAdd(database: DatabaseSync, insert: InsertStatement | undefined): (change: Insert) => boolean {
  if (insert === undefined) {
    return () => {
      throw new StatementRejected('the definition has no insert');
    };
  }
  const insertRow = database.prepare(insert.sqlite);
  const findKey = database.prepare(`SELECT 1 FROM ${insert.table} WHERE key = ?`);
  return ({ row, key }) => {
    const bytes = keyBytesOf(key);
    if (insertRow.run(...row, bytes).changes === 1) return true;
    if (bytes === null || findKey.get(bytes) === undefined)
      throw new StatementRejected('a trigger has dropped the row');
    return false;
  };
}

const CHECK_EVERY_MS = 10;

/**
 * Limits how often a check runs, since checking costs more than a commit.
 *
 * @returns a function that runs the check, or returns `undefined` within 10 ms of the last successful check
 */
function throttle<Result>(check: () => Result): () => Result | undefined {
  let checkedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - checkedAt < CHECK_EVERY_MS) return undefined;
    const result = check();
    checkedAt = now;
    return result;
  };
}

/**
 * Remembers the files of an open database. A deleted database or log can still be written, but the data would be
 * unreachable.
 *
 * @returns a function that throws `DatabaseUnavailable` when the files were replaced or deleted; it checks every 10 ms
 */
export function rememberFiles(path: string): () => void {
  const paths = [path, `${realpathSync(path)}-wal`];
  const remembered = identify(paths);
  // On Linux, a write after a stat of the file also syncs its timestamps, which makes the commit take 50% longer.
  return throttle(() => {
    if (identify(paths) === remembered) return;
    const problem = 'or its -wal beside it, was moved or deleted while it was in use';
    throw new DatabaseUnavailable(`the database ${path}, ${problem}`);
  });
}

function identify(paths: readonly string[]): string {
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats.map((file) => `${String(file?.dev)}:${String(file?.ino)}`).join();
}
