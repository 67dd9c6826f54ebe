import { BatchFailed, BatchQueue } from '../batch-queue.ts';
import { DatabaseUnavailable, type DatabaseOptions, type DatabaseReader, type Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import { compile, type Statement } from '../sql.ts';
import { limitStreams } from '../streams.ts';
import { openForReading, schemaOf } from './file.ts';
import type { ReaderData, ReadResult } from './reader-thread.ts';
import { streamRows } from './stream.ts';
import { startThread, type Thread } from './thread.ts';

const WAITING_BYTES = 1_024;
const TARGET = { engine: 'sqlite' } as const;

/**
 * Opens a SQLite database for reading only.
 *
 * @throws {DatabaseUnavailable} when there is none at the path
 */
export function openSqliteReader<Row>(
  path: string,
  definition: Definition<Row>,
  options: DatabaseOptions,
): DatabaseReader {
  openForReading(path, schemaOf(definition)).close();
  return createSqliteReader(path, definition, options);
}

/** Creates the reading side of a SQLite database. Threads are started when they are needed. */
export function createSqliteReader<Row>(
  path: string,
  definition: Definition<Row>,
  { poolSize, timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): DatabaseReader {
  const schema = schemaOf(definition);
  const closed = new AbortController();
  let thread: Thread<readonly Statement[], readonly ReadResult[]> | undefined;
  const reads = new BatchQueue<Statement, ReadResult>({
    workers: [{ ready: () => Promise.resolve(), run }],
    sizeOf: ({ text }) => 2 * text.length + WAITING_BYTES,
    isAlone: () => false,
    queueLimitBytes,
    timeoutMs,
    health: createHealth(log, 'read'),
  });
  return {
    async read<Row>(query: Parameters<DatabaseReader['read']>[0]) {
      const result = await reads.add(compile(query, TARGET));
      if ('rows' in result) return result.rows as readonly Row[]; // The query declares its row type.
      throw result.isMistake ? new Error(result.message) : new DatabaseUnavailable(result.message);
    },
    stream: limitStreams(poolSize, (query) =>
      streamRows({ path, schema, query: compile(query, TARGET) }, closed.signal),
    ),
    async close() {
      closed.abort();
      await reads.drain();
      await thread?.close();
    },
  };

  async function run(queries: readonly Statement[]): Promise<readonly ReadResult[]> {
    const data: ReaderData = { path, schema, timeoutMs };
    try {
      thread ??= await startThread('./reader-thread.ts', data);
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new BatchFailed('wait', error) : error;
    }
    const results = await thread.ask(queries);
    const locked = results.find((result) => 'isLocked' in result && result.isLocked);
    if (locked !== undefined && 'message' in locked) throw new BatchFailed('retry', new Error(locked.message));
    return results;
  }
}
