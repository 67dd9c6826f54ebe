import { setImmediate as turn } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { sizeOfValues } from '../size.ts';
import { createSpool } from '../spool.ts';
import type { Statement, Value } from '../sql.ts';
import { unavailable } from './errors.ts';
import { openForReading, type Schema } from './open-file.ts';
import { prepare } from './statements.ts';

// The thread of all streams, which it reads in turns, a page at a time. While a statement is open, the write-ahead log can
// only grow. So the rows are read at full speed, and pages are spooled until the consumer wants them: a slow one does not
// delay checkpoints.

/** Opens a stream; its other messages go through the port, which the thread closes when the stream has ended. */
export type StreamQuery = { readonly query: Statement; readonly port: MessagePort };
export type StreamRequest = 'next' | 'cancel';
/**
 * The thread sends `read` when the last row has been read. It sends one of the others for each `next`, and nothing after
 * the end. A page is serialized.
 */
export type StreamMessage = { readonly page: Uint8Array<ArrayBuffer> } | 'read' | 'end' | { readonly problem: string };
/** Rows as lists of values take half the time of rows as objects to serialize. */
export type Page = { readonly names: readonly string[]; readonly rows: readonly (readonly Value[])[] };

const PAGE_ROWS = 250;
const PAGE_BYTES = 65_536;

const { path, schema } = workerData as { readonly path: string; readonly schema: Schema };
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
  await turn(); // Takes in messages.
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

/** Yields the rows in pages, serialized. */
function* readPages({ text, values }: Statement): Generator<Uint8Array> {
  const database = openForReading(path, schema);
  try {
    database.exec('PRAGMA cache_size = -64'); // Each row is read once.
    const statement = prepare(database, text);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    const rows = statement.iterate(...values) as Iterator<unknown> as Iterator<Value[]>;
    // Pages share an array, and are emptied: one that is garbage in the old generation would keep its rows there, too.
    const page: Value[][] = [];
    while (fill(page, rows)) {
      const serialized = serialize({ names, rows: page } satisfies Page);
      page.length = 0;
      yield serialized;
    }
  } finally {
    database.close();
  }
}

/** Adds rows until the page is full. Returns whether it has any. */
function fill(page: Value[][], rows: Iterator<Value[]>): boolean {
  for (let bytes = 0; page.length < PAGE_ROWS && bytes < PAGE_BYTES;) {
    const row = rows.next();
    if (row.done === true) break;
    page.push(row.value);
    bytes += sizeOfValues(row.value);
  }
  return page.length > 0;
}
