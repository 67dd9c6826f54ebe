import { createCommits, isTransaction } from '../commits.ts';
import type { BatchDefinition, Database, DatabaseOptions, Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import type { Value } from '../sql.ts';
import { storeSchemaOf } from './open-file.ts';
import { createSqliteReader } from './reader.ts';
import { SqliteWriter } from './writer.ts';

// A thread that waits for a lock cannot be terminated, nor can its process. So the wait is short, and is retried.
const LOCK_WAIT_MS = 500;
// All other writes wait while a transaction is open.
const TRANSACTION_LIMIT_MS = 1_000;

/**
 * Opens a SQLite database. Creates the file and its folder if they do not exist.
 *
 * @throws {DatabaseUnavailable} when the file cannot be opened, is damaged, or belongs to another application
 */
export async function openSqliteDatabase<Row extends Readonly<Record<string, Value>>>(
  path: string,
  definition: Definition | BatchDefinition<Row>,
  options: DatabaseOptions,
): Promise<Database> {
  const writer = await SqliteWriter.open({
    path,
    schema: storeSchemaOf(definition, options.once),
    insert: 'insert' in definition ? { table: definition.insert.table, sqlite: definition.insert.sqlite } : undefined,
    busyTimeoutMs: Math.min(options.timeoutMs, LOCK_WAIT_MS),
    transactionLimitMs: Math.min(options.timeoutMs, TRANSACTION_LIMIT_MS),
  });
  const reader = createSqliteReader(path, definition, options);
  const { drain, ...commits } = createCommits(
    definition,
    {
      workers: [writer],
      dialect: { engine: 'sqlite' },
      health: createHealth(options.log),
      isAlone: isTransaction,
      newKey: () => undefined,
      read: reader.read,
    },
    options,
  );
  return {
    ...reader,
    ...commits,
    async close() {
      await Promise.all([drain(), reader.close()]);
      await writer.close();
    },
  };
}
