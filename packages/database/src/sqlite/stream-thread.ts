import { setImmediate as turn } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createSpool } from '../spool.ts';
import { sizeOfValues, type Statement, type Value } from '../sql.ts';
import { unavailable } from './errors.ts';
import { openForReading, type StoreSchema } from './open-file.ts';
import { prepare } from './statements.ts';

// A single thread reads all streams in turns, one page at a time. While a statement is open, the write-ahead log can
// only grow. So rows are read at full speed, and pages are spooled until the consumer requests them: a slow consumer
// does not delay checkpoints.

/** The message that opens a stream. Further messages use the port, which the thread closes at the end of the stream. */
export type StreamQuery = { readonly query: Statement; readonly port: MessagePort };
export type StreamRequest = 'next' | 'cancel';
/**
 * The thread sends `read` when the last row was read. For each `next`, it sends a serialized page, `end` or a problem;
 * after `end` or a problem, it sends nothing.
 */
export type StreamMessage = { readonly page: Uint8Array<ArrayBuffer> } | 'read' | 'end' | { readonly problem: string };
/** Rows are lists of values, which take half the time of objects to serialize. */
export type RowPage = { readonly names: readonly string[]; readonly rows: readonly (readonly Value[])[] };

const PAGE_ROWS = 250;
const PAGE_BYTES = 65_536;

const { path, schema } = workerData as { readonly path: string; readonly schema: StoreSchema };
parentPort?.on('message', ({ query, port }: StreamQuery) => void serve(query, port));

async function serve(query: Statement, port: MessagePort): Promise<void> {
  let wanted = 0;
  let cancelled = false;
  const isCancelled = (): boolean => cancelled;
  let wake = (): void => undefined;
  port.on('message', (request: StreamRequest) => {
    if (request === 'next') wanted += 1;
    else cancelled = true;
    wake();
  });
  await turn(); // Receives pending messages.
  try {
    if (!isCancelled()) await sendPages();
    await send('end');
  } catch (error) {
    await send({ problem: unavailable(path, error).message });
  } finally {
    port.close();
  }

  async function sendPages(): Promise<void> {
    const spool = createSpool();
    try {
      for (const page of readPages(query)) {
        spool.push(page);
        await turn();
        while (wanted > 0 && (await sendFirst()));
        if (isCancelled()) return;
      }
      port.postMessage('read' satisfies StreamMessage);
      while (await sendFirst());
    } finally {
      spool.close();
    }

    async function sendFirst(): Promise<boolean> {
      const page = isCancelled() ? undefined : spool.shift();
      if (page !== undefined) await send({ page });
      return page !== undefined;
    }
  }

  async function send(message: StreamMessage): Promise<void> {
    if (wanted === 0 && !isCancelled()) await new Promise<void>((resolve) => (wake = resolve));
    wanted -= 1;
    port.postMessage(message, typeof message === 'object' && 'page' in message ? [message.page.buffer] : []);
  }
}

/** Yields the rows in serialized pages. */
function* readPages({ text, values }: Statement): Generator<Uint8Array> {
  const database = openForReading(path, schema);
  try {
    database.exec('PRAGMA cache_size = -64'); // A small cache, since each row is read once.
    const statement = prepare(database, text);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    const rows = statement.iterate(...values) as Iterator<unknown> as Iterator<Value[]>;
    // Pages reuse one array: an unreachable array in the old generation would keep its rows alive until a major GC.
    const page: Value[][] = [];
    while (fill(page, rows)) {
      const serialized = serialize({ names, rows: page } satisfies RowPage);
      page.length = 0;
      yield serialized;
    }
  } finally {
    database.close();
  }
}

/** Adds rows until the page is full. Returns whether the page has rows. */
function fill(page: Value[][], rows: Iterator<Value[]>): boolean {
  for (let bytes = 0; page.length < PAGE_ROWS && bytes < PAGE_BYTES;) {
    const row = rows.next();
    if (row.done === true) break;
    page.push(row.value);
    bytes += sizeOfValues(row.value);
  }
  return page.length > 0;
}
