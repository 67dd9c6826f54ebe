import { BatchFailed, BatchQueue } from '../batch-queue.ts';
import { DatabaseUnavailable, type DatabaseOptions, type DatabaseReader, type Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import { ITEM_BYTES, sizeOfStatement } from '../statement-size.ts';
import { compile, type Query, type Statement } from '../sql.ts';
import { limitStreams } from '../streams.ts';
import { openForReading, storeSchemaOf } from './open-file.ts';
import type { ReaderData } from './reader-thread.ts';
import { createStreamPages } from './stream.ts';
import { startWorker, type SqliteWorker } from './worker.ts';

// The thread stops a late query between two rows. After this grace period, the thread is abandoned.
const ANSWER_GRACE_MS = 100;
const ABANDONED_MAX = 2;
const TARGET = { engine: 'sqlite' } as const;

/**
 * Opens a SQLite database for reading only.
 *
 * @throws {DatabaseUnavailable} when there is no database at the path
 */
export function openSqliteReader(path: string, definition: Definition, options: DatabaseOptions): DatabaseReader {
  openForReading(path, storeSchemaOf(definition)).close();
  return createSqliteReader(path, definition, options);
}

/** Creates the reading functions of a SQLite database. Starts threads on demand. */
export function createSqliteReader(
  path: string,
  definition: Definition,
  { poolSize, timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): DatabaseReader {
  const schema = storeSchemaOf(definition);
  const closed = new AbortController();
  const streamPages = createStreamPages({ path, schema }, closed.signal);
  let abandoned = 0;
  let worker: SqliteWorker<Statement, readonly (readonly unknown[])[]> | undefined;
  const reads = new BatchQueue<Statement, readonly unknown[]>({
    workers: [{ ready: () => Promise.resolve(), run }],
    sizeOf: (query) => ITEM_BYTES + sizeOfStatement(query),
    isAlone: () => false,
    queueLimitBytes,
    timeoutMs,
    health: createHealth(log, 'read'),
  });
  return {
    read: async <Row>(query: Query<Row>) => (await reads.add(compile(query, TARGET))) as readonly Row[],
    stream: limitStreams(poolSize, timeoutMs, (query, slot) => streamPages(compile(query, TARGET), slot)),
    async close() {
      closed.abort();
      await reads.drain();
      await worker?.close();
    },
  };

  async function run(queries: readonly Statement[]): Promise<readonly (readonly unknown[])[]> {
    if (abandoned === ABANDONED_MAX) throw new BatchFailed('wait', new Error('too many queries take too long'));
    const data: ReaderData = { path, schema, timeoutMs };
    try {
      worker ??= await startWorker('./reader-thread', data);
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new BatchFailed('wait', error) : error;
    }
    const results = worker.run(queries);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      abandonWorker(results);
      late.reject(new BatchFailed('wait', new Error(`a query took longer than ${String(timeoutMs)} ms`)));
    }, timeoutMs + ANSWER_GRACE_MS);
    return Promise.race([results, late.promise]).finally(() => {
      clearTimeout(timer);
    });
  }

  /**
   * Lets the next batch start a new thread. node:sqlite cannot interrupt a query, so the old thread ends after its
   * query.
   */
  function abandonWorker(results: Promise<unknown>): void {
    const close = worker?.close;
    worker = undefined;
    abandoned += 1;
    void results
      .catch(() => undefined)
      .then(close)
      .then(() => (abandoned -= 1));
  }
}
