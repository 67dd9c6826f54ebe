import { deserialize, serialize } from 'node:v8';
import { BatchQueue } from '../batch-queue.ts';
import { type DatabaseOptions, type DatabaseReader, DatabaseUnavailable, type Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import { createSpool, type Spool } from '../spool.ts';
import { compile, ITEM_BYTES, NOT_A_READ, type Query, sizeOfStatement, sizeOfValues, type Statement } from '../sql.ts';
import { limitStreams, type StreamSlot } from '../streams.ts';
import { type Connector, connectorsFor } from './connector.ts';
import { toOperatorError, READ_ONLY_TRANSACTION, sqlStateOf } from './errors.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { findSchema, readState } from './migrations.ts';
import type { Result, Session } from './session.ts';
import { PostgresWorker } from './worker.ts';
import { runStatement } from './write.ts';

export type ReaderParts = {
  /** Opens the connections of `read`, and sets the time limit of queries. */
  readonly readers: Connector;
  /** Opens a connection for each stream. */
  readonly streams: Connector;
  readonly location: PostgresLocation;
  /** The schema of the tables, quoted. */
  readonly schema: string;
};

/**
 * Opens a PostgreSQL database for reading only. Changes no session settings, so a pooler may share its sessions.
 *
 * @throws {DatabaseUnavailable} when the database cannot be used or does not have the application's tables
 */
export async function openPostgresReader(
  location: PostgresLocation,
  definition: Definition,
  options: DatabaseOptions,
): Promise<DatabaseReader> {
  const connector = connectorsFor(location, definition, options.timeoutMs)();
  const session = await connector.connect(new AbortController().signal);
  try {
    const { schema, exists } = await findSchema(session, definition);
    if (!exists || (await readState(session, definition, schema)).version === 0) {
      throw new DatabaseUnavailable(`there is no ${definition.name} in ${describePostgres(location)}`);
    }
    return createPostgresReader({ readers: connector, streams: connector, location, schema }, options);
  } catch (error) {
    throw toOperatorError(location, error);
  } finally {
    await session.close();
  }
}

/** Creates the reading functions of a PostgreSQL database. Opens connections on demand. */
export function createPostgresReader(
  { readers, streams, location, schema }: ReaderParts,
  { poolSize, timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): DatabaseReader {
  const health = createHealth(log, 'read');
  const dialect = { engine: 'postgres', schema } as const;
  const closed = new AbortController();
  const workers = Array.from(
    { length: poolSize },
    () => new PostgresWorker({ connector: readers, run: readAll, timeoutMs, onFailed: health.failed }),
  );
  const reads = new BatchQueue<Statement, readonly unknown[]>({
    workers,
    sizeOf: (query) => ITEM_BYTES + sizeOfStatement(query),
    isAlone: () => true,
    statementOf: ({ text }) => text,
    queueLimitBytes,
    timeoutMs,
    health,
  });
  return {
    read: async <Row>(query: Query<Row>) => (await reads.add(compile(query, dialect))) as readonly Row[],
    stream: limitStreams(poolSize, timeoutMs, (query, slot) =>
      streamPages(streams, location, compile(query, dialect), closed.signal, slot),
    ),
    async close() {
      closed.abort();
      await reads.drain();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

async function readAll(
  session: Session,
  queries: readonly Statement[],
  limitMs: number,
): Promise<readonly (readonly unknown[])[]> {
  return Promise.all(
    queries.map(async (query) => {
      try {
        return (await runStatement(session, query, limitMs)).rows;
      } catch (error) {
        // The session is read-only, not the server.
        throw sqlStateOf(error) === READ_ONLY_TRANSACTION ? new Error(NOT_A_READ, { cause: error }) : error;
      }
    }),
  );
}

// One page is held in memory: this many rows, or fewer if they are large.
const PAGE_ROWS = 1_000;
const FIRST_PAGE_ROWS = 10;
const PAGE_BYTES = 4_194_304;

type Page = Result['rows'];

/**
 * Streams the rows of a query in pages, on its own connection. Reads each page on demand, or all pages without waiting
 * when the slot is hurried. Releases the slot when the rows were read.
 *
 * @throws {DatabaseUnavailable} while reading
 */
async function* streamPages(
  connector: Connector,
  location: PostgresLocation,
  query: Statement,
  closed: AbortSignal,
  slot: StreamSlot,
): AsyncGenerator<Page> {
  const left = new AbortController();
  const pages = new PageQueue();
  void slot.hurried.then(() => {
    pages.hurry();
  });
  const reading = read(AbortSignal.any([closed, left.signal]));
  try {
    for (let page = await pages.take(); page !== undefined; page = await pages.take()) yield page;
  } finally {
    left.abort();
    pages.hurry(); // Reading no longer waits for the consumer.
    await reading;
    pages.close();
  }

  async function read(signal: AbortSignal): Promise<void> {
    let session: Session | undefined;
    try {
      session = await connector.connect(signal);
      signal.addEventListener('abort', session.destroy);
      await fetchAll(session, query, pages);
      pages.end();
    } catch (error) {
      const failure = closed.aborted
        ? new DatabaseUnavailable('the database was closed')
        : toOperatorError(location, error);
      pages.end(failure as Error); // Only Error objects are thrown here.
    } finally {
      session?.destroy();
      slot.release();
    }
  }
}

async function fetchAll(session: Session, { text, values }: Statement, pages: PageQueue): Promise<void> {
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await session.query('SET LOCAL statement_timeout = 0');
  await session.run(`DECLARE stream NO SCROLL CURSOR FOR ${text}`, values);
  for (let wanted = FIRST_PAGE_ROWS; ;) {
    await pages.untilWanted();
    const { rows } = await session.run(`FETCH ${String(wanted)} FROM stream`, []);
    pages.add(rows);
    if (rows.length < wanted) return;
    wanted = Math.min(PAGE_ROWS, Math.ceil((wanted * PAGE_BYTES) / sizeOf(rows)));
  }
}

function sizeOf(rows: Page): number {
  return rows.reduce((bytes, row) => bytes + sizeOfValues(Object.values(row)), 1);
}

/** Holds pages between a query and its consumer: in a spool, unless the consumer is waiting. */
class PageQueue {
  #page: Page | undefined;
  #spool: Spool | undefined;
  #end: { readonly error: Error | undefined } | undefined;
  #isHurried = false;
  #isWanted = false;
  #wakeReading = (): void => undefined;
  #wakeConsumer = (): void => undefined;

  /** Allows all further pages to be read. */
  hurry(): void {
    this.#isHurried = true;
    this.#wakeReading();
  }

  /** Resolves when the next page should be read. */
  async untilWanted(): Promise<void> {
    if (!this.#isHurried && !this.#isWanted) await new Promise<void>((resolve) => (this.#wakeReading = resolve));
  }

  /** @throws {DatabaseUnavailable} when the temporary folder is full */
  add(page: Page): void {
    if (this.#isWanted) this.#page = page;
    else (this.#spool ??= createSpool()).push(serialize(page));
    this.#isWanted = false;
    this.#wakeConsumer();
  }

  /** Ends the queue. @param error the error that the consumer receives after the last page */
  end(error?: Error): void {
    this.#end = { error };
    this.#wakeConsumer();
  }

  /** Waits for the next page. Returns `undefined` after the last page. @throws the error passed to `end` */
  async take(): Promise<Page | undefined> {
    const spooled = this.#spool?.shift();
    if (spooled !== undefined) return deserialize(spooled) as Page; // Serialized by `add`.
    if (this.#end === undefined) {
      this.#isWanted = true;
      this.#wakeReading();
      await new Promise<void>((resolve) => (this.#wakeConsumer = resolve));
    }
    const page = this.#page;
    this.#page = undefined;
    if (page === undefined && this.#end?.error !== undefined) throw this.#end.error;
    return page;
  }

  close(): void {
    this.#spool?.close();
  }
}
