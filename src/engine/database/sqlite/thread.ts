import { Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';

/** The first message of a thread. */
export type Started = 'open' | { readonly refused: string };

/** A thread that answers each message before it is sent the next. */
export type Thread<Request, Response> = {
  readonly ask: (request: Request) => Promise<Response>;
  /** Lets the thread close its database. */
  readonly close: () => Promise<void>;
};

/**
 * Starts a thread. An error that it does not catch ends the process, since its state is unknown.
 *
 * @throws {DatabaseUnavailable} when it cannot open the database
 */
export async function startThread<Request, Response>(file: string, data: unknown): Promise<Thread<Request, Response>> {
  const worker = new Worker(new URL(file, import.meta.url), { name: 'sqlite', workerData: data });
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  const response = <Message>(): Promise<Message> => new Promise((resolve) => worker.once('message', resolve));
  const started = await response<Started>();
  if (started !== 'open') throw new DatabaseUnavailable(started.refused);
  return {
    ask(request) {
      worker.postMessage(request);
      return response<Response>();
    },
    async close() {
      worker.postMessage('close');
      await exited;
    },
  };
}
