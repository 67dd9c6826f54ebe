import { deserialize, serialize } from 'node:v8';
import { DatabaseUnavailable } from '../database.ts';
import { sizeOfValues } from '../statement-size.ts';
import { createSpool, type Spool } from '../spool.ts';
import type { Statement } from '../sql.ts';
import type { StreamSlot } from '../streams.ts';
import type { Connector } from './connector.ts';
import { explain } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import type { Result, Session } from './session.ts';

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
export async function* streamPages(
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
      const failure = closed.aborted ? new DatabaseUnavailable('the database was closed') : explain(location, error);
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
