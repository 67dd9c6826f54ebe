import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { sizeOfValues } from '../size.ts';
import type { Statement, Value } from '../sql.ts';
import { primaryCode, SQLITE, unavailable } from './errors.ts';
import { openForReading, type Schema } from './open-file.ts';
import { createSpool } from './spool.ts';

// The thread of one stream. While a statement is open, the write-ahead log can only grow. So the rows are read at full
// speed, and pages are spooled until the consumer wants them: a slow one does not delay checkpoints.

export type StreamData = { readonly path: string; readonly schema: Schema; readonly query: Statement };
/** The thread sends one for each message that it receives, and nothing after the end. A page is serialized. */
export type StreamMessage = { readonly page: Uint8Array<ArrayBuffer> } | 'end' | { readonly problem: string };
/** Rows as lists of values take half the time of rows as objects to serialize. */
export type Page = { readonly names: readonly string[]; readonly rows: readonly (readonly Value[])[] };

const PAGE_ROWS = 1_000;
const PAGE_BYTES = 262_144;

const { path, schema, query } = workerData as StreamData;
let wanted = 0;
let onWanted = (): void => undefined;
parentPort?.on('message', () => {
  wanted += 1;
  onWanted();
});

try {
  await sendPages();
  await send('end');
} catch (error) {
  // Reading fills no other disk.
  const isFull = primaryCode(error) === SQLITE.FULL;
  await send({ problem: isFull ? 'the temporary folder (TMPDIR) is full' : unavailable(path, error).message });
}

async function sendPages(): Promise<void> {
  const database = openForReading(path, schema);
  const spool = createSpool();
  for (const page of readPages(database)) {
    spool.push(serialize(page));
    await turn(); // Takes in messages.
    while (wanted > 0 && (await sendFirst()));
  }
  database.close();
  while (await sendFirst());

  async function sendFirst(): Promise<boolean> {
    const page = spool.shift();
    if (page !== undefined) await send({ page });
    return page !== undefined;
  }
}

async function send(message: StreamMessage): Promise<void> {
  if (wanted === 0) await new Promise<void>((resolve) => (onWanted = resolve));
  wanted -= 1;
  parentPort?.postMessage(message, typeof message === 'object' && 'page' in message ? [message.page.buffer] : []);
}

function* readPages(database: DatabaseSync): Generator<Page> {
  const statement = database.prepare(query.text);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  let rows: Value[][] = [];
  let bytes = 0;
  for (const row of statement.iterate(...query.values) as Iterable<unknown> as Iterable<Value[]>) {
    rows.push(row);
    bytes += sizeOfValues(row);
    if (rows.length < PAGE_ROWS && bytes < PAGE_BYTES) continue;
    yield { names, rows };
    rows = [];
    bytes = 0;
  }
  yield { names, rows };
}
