import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { sizeOfRow } from '../size.ts';
import type { Statement } from '../sql.ts';
import { openForReading, unavailable, type Schema } from './file.ts';
import { createSpool } from './spool.ts';

// The thread of one stream. While a statement is open, the write-ahead log can only grow. So the rows are read at full
// speed, and pages are spooled until the consumer wants them: a slow one does not delay checkpoints.

export type StreamData = { readonly path: string; readonly schema: Schema; readonly query: Statement };
/** The thread sends one for each message that it receives, and nothing after the end. */
export type Page = { readonly rows: Uint8Array<ArrayBuffer> } | 'end' | { readonly message: string };

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
  await streamPages();
  await send('end');
} catch (error) {
  await send({ message: unavailable(path, error).message });
}

async function streamPages(): Promise<void> {
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
    const rows = spool.shift();
    if (rows !== undefined) await send({ rows });
    return rows !== undefined;
  }
}

async function send(page: Page): Promise<void> {
  if (wanted === 0) await new Promise<void>((resolve) => (onWanted = resolve));
  wanted -= 1;
  parentPort?.postMessage(page, typeof page === 'object' && 'rows' in page ? [page.rows.buffer] : []);
}

function* readPages(database: DatabaseSync): Generator<readonly unknown[]> {
  const statement = database.prepare(query.text);
  statement.setReadBigInts(true);
  let rows: unknown[] = [];
  let bytes = 0;
  for (const row of statement.iterate(...query.values)) {
    rows.push(row);
    bytes += sizeOfRow(row);
    if (rows.length < PAGE_ROWS && bytes < PAGE_BYTES) continue;
    yield rows;
    rows = [];
    bytes = 0;
  }
  yield rows;
}
