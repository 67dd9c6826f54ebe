import { workerData } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import { NOT_A_READ, type Statement } from '../sql.ts';
import { SQLITE, StatementRejected } from './errors.ts';
import { openForReading, type StoreSchema } from './open-file.ts';
import { serveBatches } from './batch-thread.ts';
import { rowsWithin, Statements } from './statements.ts';

// The reading thread has its own connection: in WAL mode, reads and commits do not block each other.

export type ReaderData = { readonly path: string; readonly schema: StoreSchema; readonly timeoutMs: number };

const { path, schema, timeoutMs } = workerData as ReaderData;

serveBatches(path, () => {
  const database = openForReading(path, schema);
  const statements = new Statements(database);
  return {
    run: (queries: readonly Statement[]) => queries.map(read),
    close: () => {
      database.close();
    },
  };

  function read({ text, values }: Statement): readonly unknown[] {
    const late = (): Error => new DatabaseUnavailable(`the query took longer than ${String(timeoutMs)} ms`);
    try {
      return statements.use(text, (statement) => rowsWithin(statement, values, timeoutMs, late));
    } catch (error) {
      // READONLY means that the query writes on the read-only connection. Extended codes mean a read-only file.
      if ((error as { readonly errcode?: number }).errcode !== SQLITE.READONLY) throw error;
      throw new StatementRejected(NOT_A_READ, { cause: error });
    }
  }
});
