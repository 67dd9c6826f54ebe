import { Worker } from 'node:worker_threads';
import { BatchFailed, type BatchWorker } from '../batch-queue.ts';
import { DatabaseUnavailable } from '../database.ts';

/** The first message of a thread. */
export type Started = 'open' | { readonly refused: string };
/** The message of a thread for each batch. */
export type Answer<Result> =
  | { readonly results: readonly Result[] }
  | { readonly recovery: BatchFailed['recovery'] | undefined; readonly message: string };

export type SqliteWorker<Item, Result> = BatchWorker<Item, Result> & {
  /** Lets the thread close its database. */
  readonly close: () => Promise<void>;
};

/**
 * Starts a thread that processes batches with `serveBatches`. An error that it does not catch ends the process, since its
 * state is unknown.
 *
 * @throws {DatabaseUnavailable} when it cannot open the database
 */
export async function startWorker<Item, Result>(file: string, data: unknown): Promise<SqliteWorker<Item, Result>> {
  const thread = new Worker(new URL(file, import.meta.url), { name: 'sqlite', workerData: data });
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  const receive = <Message>(): Promise<Message> => new Promise((resolve) => thread.once('message', resolve));
  const started = await receive<Started>();
  if (started !== 'open') throw new DatabaseUnavailable(started.refused);
  return {
    ready: () => Promise.resolve(),
    async run(items) {
      thread.postMessage(items);
      const answer = await receive<Answer<Result>>();
      if ('results' in answer) return answer.results;
      const error = new Error(answer.message);
      throw answer.recovery === undefined ? error : new BatchFailed(answer.recovery, error);
    },
    async close() {
      thread.postMessage('close');
      await exited;
    },
  };
}
