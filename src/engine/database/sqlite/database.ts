import { Worker } from 'node:worker_threads';
import { CommitFailed, createGroupCommit } from '../group-commit.ts';
import { createHealth } from '../health.ts';
import { DatabaseUnavailable, type DatabaseOptions } from '../database.ts';
import type { PlantStore } from '../../../plants/plant-store.ts';
import { toText } from '../../../plants/plant-text.ts';

/** A creation on its way to the database. */
export type Row = { readonly id: bigint; readonly text: string; readonly key: string | undefined };

export type WorkerData = { readonly path: string; readonly busyTimeoutMs: number };
export type ToWorker = readonly Row[] | 'close';
export type FromWorker =
  | 'open'
  | { readonly refused: string }
  | { readonly areNew: readonly boolean[] }
  | { readonly recovery: CommitFailed['recovery'] | undefined; readonly message: string };

// A waiting plant holds its text, two bytes for a character, and the request that brought it.
const WAITING_BYTES = 2_048;
// Waiting for a lock, the thread cannot be ended, nor with it the process. So it gives up, and is told to try again.
const LOCK_WAIT_MS = 500;

/**
 * Opens the embedded store, creating the file and its folder when they are missing.
 *
 * @throws {DatabaseUnavailable} when the file cannot be opened, is damaged, or holds something else
 */
export async function openSqliteStore(path: string, options: DatabaseOptions): Promise<PlantStore> {
  const { timeoutMs, queueLimitBytes, onCommit, log } = options;
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'sqlite',
    workerData: { path, busyTimeoutMs: Math.min(timeoutMs, LOCK_WAIT_MS) } satisfies WorkerData,
  });
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  const opened = await answer();
  if (typeof opened === 'object' && 'refused' in opened) throw new DatabaseUnavailable(opened.refused);

  const commits = createGroupCommit<Row, boolean>({
    workers: [{ ready: () => Promise.resolve(), commit }],
    sizeOf: ({ text }) => text.length * 2 + WAITING_BYTES,
    queueLimitBytes,
    timeoutMs,
    health: createHealth(log),
    onCommit,
  });
  return {
    add: (plant, key) => commits.add({ id: plant.id, text: toText(plant), key }),
    check: commits.check,
    async close() {
      await commits.drain();
      worker.postMessage('close' satisfies ToWorker);
      await exited;
    },
  };

  async function commit(rows: readonly Row[]): Promise<readonly boolean[]> {
    worker.postMessage(rows satisfies ToWorker);
    const committed = await answer();
    if (typeof committed === 'object' && 'areNew' in committed) return committed.areNew;
    const { recovery, message } = committed as Extract<FromWorker, { message: string }>; // The one other answer to rows.
    const error = new Error(message);
    throw recovery === undefined ? error : new CommitFailed(recovery, error);
  }

  /**
   * The next message, as each is answered before the next is sent. An error of the thread itself has no listener, and so
   * ends the process: what it was doing is not known.
   */
  function answer(): Promise<FromWorker> {
    return new Promise((resolve) => worker.once('message', resolve));
  }
}
