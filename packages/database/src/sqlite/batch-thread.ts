import { extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { parentPort, Worker } from 'node:worker_threads';
import { BatchFailed } from '../batch-queue.ts';
import { ConstraintViolated, DatabaseUnavailable } from '../database.ts';
import { type BatchFailure, failureOf, primaryCode, unavailable } from './errors.ts';

// Rows and batches are short-lived. A larger young generation would only take longer to collect.
const YOUNG_GENERATION_MB = 2;
// `.ts` in the repository, `.js` in the published package.
const EXTENSION = extname(import.meta.url);

/** The first message of a thread. */
export type Started = 'open' | { readonly refused: string };
/** The message of a thread for each batch. */
export type Answer<Output> = { readonly output: Output } | BatchFailure;

export type SqliteWorker<Item, Output> = {
  /** Processes all items or none, in order. @throws {BatchFailed} with the recovery; any other error is a bug */
  readonly run: (items: readonly Item[]) => Promise<Output>;
  /** Lets the thread close its database. */
  readonly close: () => Promise<void>;
};

/** Starts a thread with a module of this folder; the name lacks the extension. */
export function startThread(module: string, workerData: unknown): Worker {
  // Resets the flag that `npm start` sets for the main thread, which would override the thread's limit.
  setFlagsFromString('--max-semi-space-size=0');
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
  return new Worker(new URL(`${module}${EXTENSION}`, import.meta.url), { name: 'sqlite', workerData, resourceLimits });
}

/**
 * Starts a thread that processes batches with `serveBatches`. An uncaught error in the thread ends the process, since
 * the state is unknown.
 *
 * @throws {DatabaseUnavailable} when the thread cannot open the database
 */
export async function startWorker<Item, Output>(module: string, data: unknown): Promise<SqliteWorker<Item, Output>> {
  const thread = startThread(module, data);
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  const receive = <Message>(): Promise<Message> => new Promise((resolve) => thread.once('message', resolve));
  const started = await receive<Started>();
  if (started !== 'open') throw new DatabaseUnavailable(started.refused);
  return {
    async run(items) {
      thread.postMessage(items);
      const answer = await receive<Answer<Output>>();
      if ('output' in answer) return answer.output;
      throw toBatchError(answer);
    },
    async close() {
      thread.postMessage('close');
      await exited;
    },
  };
}

/** Converts the failure of a batch to an error: {@link BatchFailed}, or a plain error for a bug. */
export function toBatchError({ recovery, message, violated }: BatchFailure): Error {
  const error = violated ? new ConstraintViolated(message, violated.kind, violated.constraint) : new Error(message);
  return recovery === undefined ? error : new BatchFailed(recovery, error);
}

type BatchProcessor<Item, Output> = {
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
