import { realpathSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { BatchFailed } from '../batch-queue.ts';
import type { Written } from '../database.ts';
import type { Statement, Value } from '../sql.ts';
import { explain, openForWriting, primaryCode, probeWrite, SQLITE, transact, type Schema } from './file.ts';
import { createStatements, serve } from './serve.ts';

// The thread that writes, so that a slow disk, a checkpoint or another process's lock delays commits only.

export type WriterData = {
  readonly path: string;
  readonly schema: Schema;
  readonly insert: { readonly table: string; readonly sqlite: string };
  readonly busyTimeoutMs: number;
};
/** The values of a row, and its key; or statements. Without any statement, it is a check. */
export type Change = { readonly row: readonly Value[]; readonly key: string | undefined } | readonly Statement[];
export type ChangeResult = boolean | readonly Written[];
export type Committed =
  | { readonly results: readonly ChangeResult[] }
  | { readonly recovery: BatchFailed['recovery'] | undefined; readonly message: string };

const { path, schema, insert, busyTimeoutMs } = workerData as WriterData;
/** One change of a transaction was refused, and not the others. */
class Refused extends Error {}

serve(() => {
  const database = openForWriting(path, schema);
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
  return { database, answer: createCommit(database) };
});

function createCommit(database: DatabaseSync): (changes: readonly Change[]) => Committed {
  const insertRow = database.prepare(insert.sqlite);
  const findKey = database.prepare(`SELECT 1 FROM ${insert.table} WHERE key = ?`);
  const statementOf = createStatements(database);
  const paths = [path, `${realpathSync(path)}-wal`];
  const files = identify(paths);

  return (changes) => {
    try {
      // A deleted file can still be written, but the data would be unreachable. So can its log.
      if (identify(paths) !== files) return lost();
      return { results: transact(database, () => changes.map(apply)) };
    } catch (error) {
      return { recovery: recoveryOf(error), message: explain(path, error) };
    }
  };

  function apply(change: Change): ChangeResult {
    if ('row' in change) return add(change.row, change.key);
    if (change.length === 0) probeWrite(database);
    return change.map(run);
  }

  function add(row: readonly Value[], key: string | undefined): boolean {
    const bytes = key === undefined ? null : Buffer.from(key.replaceAll('-', ''), 'hex');
    if (insertRow.run(...row, bytes).changes === 1) return true;
    if (bytes === null || findKey.get(bytes) === undefined) throw new Refused('a trigger has dropped the row');
    return false;
  }

  function run({ text, values }: Statement): Written {
    try {
      const statement = statementOf(text);
      return statement.columns().length > 0 ? readAll(statement, values) : runOnly(statement, values);
    } catch (error) {
      // A mistake in one statement must not fail the changes that share its transaction.
      const isMistake = primaryCode(error) === SQLITE.ERROR || primaryCode(error) === 0;
      throw isMistake ? new Refused((error as Error).message) : error;
    }
  }
}

function readAll(statement: StatementSync, values: readonly Value[]): Written {
  const rows = statement.all(...values);
  return { rows, count: rows.length };
}

function runOnly(statement: StatementSync, values: readonly Value[]): Written {
  return { rows: [], count: Number(statement.run(...values).changes) };
}

function lost(): Committed {
  return {
    recovery: 'wait',
    message: `the database ${path}, or its -wal beside it, was moved or deleted while it was in use`,
  };
}

/** Identifies the files that are at these paths now. */
function identify(paths: readonly string[]): string {
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats.map((file) => `${String(file?.dev)}:${String(file?.ino)}`).join();
}

function recoveryOf(error: unknown): BatchFailed['recovery'] | undefined {
  if (error instanceof Refused) return 'split';
  const code = primaryCode(error);
  if (code === 0) return undefined;
  if (code === SQLITE.BUSY) return 'retry'; // Nothing of the transaction is kept.
  const isOfARow = code === SQLITE.CONSTRAINT || code === SQLITE.TOOBIG || code === SQLITE.MISMATCH;
  return isOfARow ? 'split' : 'wait';
}
