import { realpathSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { Change, ChangeResult, Insert } from '../commits.ts';
import { DatabaseUnavailable, type Written } from '../database.ts';
import type { Statement } from '../sql.ts';
import { Refused } from './errors.ts';
import { openForWriting, scalar, transact, type Schema } from './open-file.ts';
import { serveBatches } from './serve-batches.ts';
import { Statements } from './statements.ts';

// The thread that writes, so that a slow disk, a checkpoint or another process's lock delays commits only.

export type WriterData = {
  readonly path: string;
  readonly schema: Schema;
  readonly insert: { readonly table: string; readonly sqlite: string } | undefined;
  readonly busyTimeoutMs: number;
};

const { path, schema, insert, busyTimeoutMs } = workerData as WriterData;

serveBatches(path, () => {
  const database = openForWriting(path, schema);
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
  const statements = new Statements(database);
  const add = createAdd(database);
  const paths = [path, `${realpathSync(path)}-wal`];
  const files = identify(paths);
  return { database, run: commit };

  function commit(changes: readonly Change[]): readonly ChangeResult[] {
    // A deleted file can still be written, but the data would be unreachable. So can its log.
    if (identify(paths) !== files) {
      const problem = 'or its -wal beside it, was moved or deleted while it was in use';
      throw new DatabaseUnavailable(`the database ${path}, ${problem}`);
    }
    return transact(database, () => changes.map(apply));
  }

  function apply(change: Change): ChangeResult {
    if (change === 'check') return probeWrite(database);
    return 'row' in change ? add(change) : change.statements.map(run);
  }

  function run({ text, values }: Statement): Written {
    return statements.use(text, (statement) => {
      if (statement.columns().length === 0) return { rows: [], count: Number(statement.run(...values).changes) };
      const rows = statement.all(...values);
      return { rows, count: rows.length };
    });
  }
});

/** Creates the function that inserts a row of the batch statement, and returns whether it was inserted now. */
function createAdd(database: DatabaseSync): (change: Insert) => boolean {
  if (insert === undefined) {
    return () => {
      throw new Refused('the definition has no insert');
    };
  }
  const insertRow = database.prepare(insert.sqlite);
  const findKey = database.prepare(`SELECT 1 FROM ${insert.table} WHERE key = ?`);
  return ({ row, key }) => {
    const bytes = key === undefined ? null : Buffer.from(key.replaceAll('-', ''), 'hex');
    if (insertRow.run(...row, bytes).changes === 1) return true;
    if (bytes === null || findKey.get(bytes) === undefined) throw new Refused('a trigger has dropped the row');
    return false;
  };
}

/**
 * Writes the version that is there already. A transaction without changes never reaches the disk; this one fails where an
 * insert would, on a full disk for example.
 */
function probeWrite(database: DatabaseSync): true {
  database.exec(`PRAGMA user_version = ${String(scalar(database, 'PRAGMA user_version'))}`);
  return true;
}

/** Identifies the files that are at these paths now. */
function identify(paths: readonly string[]): string {
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats.map((file) => `${String(file?.dev)}:${String(file?.ino)}`).join();
}
