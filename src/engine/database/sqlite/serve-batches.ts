import type { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import { recoveryFor, Refused, unavailable } from './errors.ts';
import type { Answer, Started } from './worker.ts';

export type BatchProcessor<Item, Result> = {
  readonly database: DatabaseSync;
  /** Processes all items or none, in their order, and returns a result for each. */
  readonly run: (items: readonly Item[]) => readonly Result[];
};

/** The thread's side of `startWorker`: opens a database, and processes batches until it is to close. */
export function serveBatches<Item, Result>(path: string, open: () => BatchProcessor<Item, Result>): void {
  try {
    const { database, run } = open();
    parentPort?.on('message', (items: readonly Item[] | 'close') => {
      if (items !== 'close') {
        parentPort?.postMessage(answer(items));
        return;
      }
      database.close();
      parentPort?.close();
    });
    parentPort?.postMessage('open' satisfies Started);

    function answer(items: readonly Item[]): Answer<Result> {
      try {
        return { results: run(items) };
      } catch (error) {
        const { message } = error instanceof Refused ? error : unavailable(path, error);
        return { recovery: recoveryFor(error), message };
      }
    }
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    parentPort?.postMessage({ refused: error.message } satisfies Started);
  }
}
