import { on, once } from 'node:events';
import { deserialize } from 'node:v8';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { BatchFailed, BatchQueue } from '../batch-queue.ts';
import { type DatabaseOptions, type DatabaseReader, DatabaseUnavailable, type Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import { compile, ITEM_BYTES, type Query, sizeOfStatement, type Statement } from '../sql.ts';
import { limitStreams, type StreamSlot } from '../streams.ts';
import { openForReading, type StoreSchema, storeSchemaOf } from './open-file.ts';
import type { ReaderData } from './reader-thread.ts';
import type { RowPage, StreamMessage, StreamQuery, StreamRequest } from './stream-thread.ts';
import { type SqliteWorker, startThread, startWorker } from './batch-thread.ts';

// The thread stops a late query between two rows. After this grace period, the thread is abandoned.
const ANSWER_GRACE_MS = 100;
const ABANDONED_MAX = 2;
const DIALECT = { engine: 'sqlite' } as const;

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
    statementOf: ({ text }) => text,
    queueLimitBytes,
    timeoutMs,
    health: createHealth(log, 'read'),
  });
  return {
    read: async <Row>(query: Query<Row>) => (await reads.add(compile(query, DIALECT))) as readonly Row[],
    stream: limitStreams(poolSize, timeoutMs, (query, slot) => streamPages(compile(query, DIALECT), slot)),
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

// The thread reads the next page while a page is consumed.
const PAGES_AHEAD = 2;

type Thread = { readonly worker: Worker; streams: number; error?: unknown };

/**
 * Creates the function that streams the rows of a query in pages, and releases the slot when the rows were read. All
 * streams share one thread, since a thread takes more memory than the pages. The thread ends with the last stream.
 *
 * @returns a function that throws {@link DatabaseUnavailable} while reading
 */
function createStreamPages(
  data: { readonly path: string; readonly schema: StoreSchema },
  closed: AbortSignal,
): (query: Statement, slot: StreamSlot) => AsyncGenerator<readonly unknown[]> {
  let thread: Thread | undefined;
  const isClosed = (): boolean => closed.aborted;
  closed.addEventListener('abort', () => void thread?.worker.terminate());
  return async function* streamPages(query, slot) {
    if (isClosed()) throw new DatabaseUnavailable('the database was closed');
    const used = (thread ??= start());
    used.streams += 1;
    const { port1: port, port2: threadPort } = new MessageChannel();
    const end = once(port, 'close');
    const ask = (request: StreamRequest): void => {
      port.postMessage(request);
    };
    try {
      port.on('message', (message: StreamMessage) => {
        if (message === 'read') slot.release(); // Even while the consumer is not reading.
      });
      const messages = on(port, 'message', { close: ['close'] }) as AsyncIterable<[StreamMessage]>;
      used.worker.postMessage({ query, port: threadPort } satisfies StreamQuery, [threadPort]);
      for (let asked = 0; asked < PAGES_AHEAD; asked += 1) ask('next');
      for await (const [message] of messages) {
        if (message === 'read') continue;
        if (message === 'end') return;
        if ('problem' in message) throw new DatabaseUnavailable(message.problem);
        ask('next');
        const page = deserialize(message.page) as RowPage; // Serialized by the thread.
        message.page.buffer.transfer(0);
        yield toRows(page);
      }
      throw isClosed() ? new DatabaseUnavailable('the database was closed') : used.error;
    } finally {
      ask('cancel');
      port.start(); // Discards pages in transit, which would delay the close event.
      await end;
      used.streams -= 1;
      if (used.streams === 0) {
        if (thread === used) thread = undefined;
        await used.worker.terminate();
      }
    }
  };

  function start(): Thread {
    const started: Thread = { worker: startThread('./stream-thread', data), streams: 0 };
    // All streams fail with the thread, for example when a row exceeds its memory.
    started.worker.once('error', (error) => {
      started.error = error;
      if (thread === started) thread = undefined;
    });
    return started;
  }
}

function toRows({ names, rows }: RowPage): readonly unknown[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) row[name] = values[index];
    return row;
  });
}
