import { parentPort } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import { failureOf, primaryCode, unavailable } from './errors.ts';
import type { Answer, Started } from './worker.ts';

export type BatchProcessor<Item, Output> = {
  /** Processes all items or none, in order. */
  readonly run: (items: readonly Item[]) => Output;
  readonly close: () => void;
};

/** Runs in a thread that `startWorker` started: opens a database, and processes batches until it receives `close`. */
export function serveBatches<Item, Output>(path: string, open: () => BatchProcessor<Item, Output>): void {
  try {
    const { run, close } = open();
    parentPort?.on('message', (items: readonly Item[] | 'close') => {
      if (items !== 'close') {
        parentPort?.postMessage(answer(items));
        return;
      }
      close();
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
    if (!(error instanceof DatabaseUnavailable) && primaryCode(error) === 0) throw error;
    parentPort?.postMessage({ refused: unavailable(path, error).message } satisfies Started);
  }
}
