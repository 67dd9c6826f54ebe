import { BatchFailed, BatchQueue } from '../batch-queue.ts';
import type { Database, DatabaseOptions, Definition, Written } from '../database.ts';
import { createHealth } from '../health.ts';
import { sizeOfStatements, sizeOfValue } from '../size.ts';
import { compile, type Value } from '../sql.ts';
import { schemaOf } from './file.ts';
import { createSqliteReader } from './reader.ts';
import { startThread } from './thread.ts';
import type { Change, ChangeResult, Committed, WriterData } from './writer-thread.ts';

// A waiting row holds its text, two bytes for a character, and the request that brought it.
const WAITING_BYTES = 2_048;
// A thread that waits for a lock cannot be ended, nor its process. So it gives up early, and is asked again.
const LOCK_WAIT_MS = 500;

/**
 * Opens a SQLite database, creating the file and its folder when they are missing.
 *
 * @throws {DatabaseUnavailable} when the file cannot be opened, is damaged, or holds something else
 */
export async function openSqliteDatabase<Row extends Readonly<Record<string, Value>>>(
  path: string,
  definition: Definition<Row>,
  options: DatabaseOptions,
): Promise<Database<Row>> {
  const { timeoutMs, queueLimitBytes, onCommit, log } = options;
  const { table, sqlite, columns } = definition.insert;
  const names: readonly string[] = Object.keys(columns);
  const data: WriterData = {
    path,
    schema: schemaOf(definition),
    insert: { table, sqlite },
    busyTimeoutMs: Math.min(timeoutMs, LOCK_WAIT_MS),
  };
  const writer = await startThread<readonly Change[], Committed>('./writer-thread.ts', data);
  const reader = createSqliteReader(path, definition, options);
  const commits = new BatchQueue<Change, ChangeResult>({
    workers: [{ ready: () => Promise.resolve(), run: commit }],
    sizeOf,
    isAlone: () => false,
    queueLimitBytes,
    timeoutMs,
    health: createHealth(log),
    onBatch(changes, durationMs) {
      const count = changes.filter((change) => 'row' in change || change.length > 0).length;
      if (count > 0) onCommit?.(count, durationMs);
    },
  });
  // The result of a row is a boolean, and that of statements is a list.
  return {
    ...reader,
    insert: (row, key) => commits.add({ row: names.map((name) => row[name] ?? null), key }) as Promise<boolean>,
    write: (...statements) =>
      commits.add(statements.map((query) => compile(query, { engine: 'sqlite' }))) as Promise<readonly Written[]>,
    async check() {
      await commits.add([]);
    },
    async close() {
      await Promise.all([commits.drain(), reader.close()]);
      await writer.close();
    },
  };

  async function commit(changes: readonly Change[]): Promise<readonly ChangeResult[]> {
    const committed = await writer.ask(changes);
    if ('results' in committed) return committed.results;
    const error = new Error(committed.message);
    throw committed.recovery === undefined ? error : new BatchFailed(committed.recovery, error);
  }
}

function sizeOf(change: Change): number {
  if (!('row' in change)) return WAITING_BYTES + sizeOfStatements(change);
  return change.row.reduce<number>((bytes, value) => bytes + sizeOfValue(value), WAITING_BYTES);
}
