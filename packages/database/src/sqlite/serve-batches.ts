import type { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import { failureOf } from './errors.ts';
import type { Answer, Started } from './worker.ts';

export type BatchProcessor<Item, Output> = {
  readonly database: DatabaseSync;
  /** Processes all items or none, in their order. */
  readonly run: (items: readonly Item[]) => Output;
};

/** The thread's side of `startWorker`: opens a database, and processes batches until it is to close. */
export function serveBatches<Item, Output>(path: string, open: () => BatchProcessor<Item, Output>): void {
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

    function answer(items: readonly Item[]): Answer<Output> {
      try {
        return { output: run(items) };
      } catch (error) {
        return failureOf(path, error);
      }
    }
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    parentPort?.postMessage({ refused: error.message } satisfies Started);
  }
}
