import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { Statement } from '../sql.ts';
import { explain, openForReading, primaryCode, SQLITE, type Schema } from './file.ts';
import { createStatements, serve } from './serve.ts';

// The thread that reads, with a connection of its own: in WAL mode, it waits for no commit, and no commit for it.

export type ReaderData = { readonly path: string; readonly schema: Schema; readonly timeoutMs: number };
export type ReadResult =
  | { readonly rows: readonly unknown[] }
  /** `isMistake`: the query is at fault, and not the database. */
  | { readonly isMistake: boolean; readonly isLocked: boolean; readonly message: string };

const { path, schema, timeoutMs } = workerData as ReaderData;
class TooSlow extends Error {}

serve(() => {
  const database = openForReading(path, schema);
  const read = createRead(database);
  return { database, answer: (queries: readonly Statement[]) => queries.map(read) };
});

function createRead(database: DatabaseSync): (query: Statement) => ReadResult {
  const statementOf = createStatements(database);
  return ({ text, values }) => {
    try {
      const deadline = performance.now() + timeoutMs;
      const rows: unknown[] = [];
      for (const row of statementOf(text).iterate(...values)) {
        if (performance.now() > deadline) throw new TooSlow(`the query took longer than ${String(timeoutMs)} ms`);
        rows.push(row);
      }
      return { rows };
    } catch (error) {
      const code = primaryCode(error);
      const isMistake =
        !(error instanceof TooSlow) && (code === 0 || code === SQLITE.ERROR || code === SQLITE.MISMATCH);
      const message = isMistake ? (error as Error).message : explain(path, error);
      return { isMistake, isLocked: code === SQLITE.BUSY, message };
    }
  };
}
