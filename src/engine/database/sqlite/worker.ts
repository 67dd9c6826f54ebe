import { realpathSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { CommitFailed } from '../group-commit.ts';
import { DatabaseUnavailable } from '../database.ts';
import { explain, openForWriting, primaryCode, probeWrite, SQLITE, transact } from './file.ts';
import type { FromWorker, Row, ToWorker, WorkerData } from './database.ts';

// The thread that writes to the embedded database, so that a slow disk, a checkpoint or another process that holds the
// lock stops nothing but commits.
const { path, busyTimeoutMs } = workerData as WorkerData;
class Dropped extends Error {}
const tell = (message: FromWorker): void => parentPort?.postMessage(message);

try {
  serve();
} catch (error) {
  if (!(error instanceof DatabaseUnavailable)) throw error;
  tell({ refused: error.message });
}

function serve(): void {
  const database = openForWriting(path);
  database.exec(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
  const insert = database.prepare(
    'INSERT INTO plants (id, plant, key) VALUES (?, ?, ?) ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING',
  );
  const find = database.prepare('SELECT 1 FROM plants WHERE key = ?');
  const paths = [path, `${realpathSync(path)}-wal`];
  const files = identify(paths);

  parentPort?.on('message', (rows: ToWorker) => {
    if (rows !== 'close') {
      tell(commit(rows));
      return;
    }
    database.close();
    parentPort?.close();
  });
  tell('open');

  function commit(rows: readonly Row[]): FromWorker {
    try {
      // A file that was deleted can still be written, but nobody will find what is in it. So can its log.
      if (identify(paths) !== files) return lost();
      return { areNew: transact(database, () => (rows.length > 0 ? rows.map(add) : probeWrite(database))) };
    } catch (error) {
      return { recovery: recoveryOf(error), message: explain(path, error) };
    }
  }

  function add({ id, text, key }: Row): boolean {
    const bytes = key === undefined ? null : Buffer.from(key.replaceAll('-', ''), 'hex');
    if (insert.run(id, text, bytes).changes === 1) return true;
    if (bytes === null || find.get(bytes) === undefined) throw new Dropped('a trigger has dropped the plant');
    return false;
  }

  function lost(): FromWorker {
    return {
      recovery: 'wait',
      message: `the database ${path}, or its -wal beside it, was moved or deleted while it was in use`,
    };
  }
}

/** Which files are at these paths now. */
function identify(paths: readonly string[]): string {
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats.map((file) => `${String(file?.dev)}:${String(file?.ino)}`).join();
}

function recoveryOf(error: unknown): CommitFailed['recovery'] | undefined {
  if (error instanceof Dropped) return 'split';
  const code = primaryCode(error);
  if (code === 0) return undefined;
  if (code === SQLITE.BUSY) return 'retry'; // Nothing of the transaction is kept.
  const isOfARow = code === SQLITE.CONSTRAINT || code === SQLITE.TOOBIG || code === SQLITE.MISMATCH;
  return isOfARow ? 'split' : 'wait';
}
