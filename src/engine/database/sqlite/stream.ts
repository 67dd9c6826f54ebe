import { on } from 'node:events';
import { deserialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import type { Page, StreamData, StreamMessage } from './stream-thread.ts';

// The thread reads the next page while this one is consumed.
const PAGES_AHEAD = 2;
// Rows are garbage at once; a larger young generation would only take longer to be collected.
const YOUNG_GENERATION_MB = 4;

/** Streams the rows of a query from a thread of its own, in pages. @throws {DatabaseUnavailable} while reading */
export async function* streamPages(data: StreamData, signal: AbortSignal): AsyncGenerator<readonly unknown[]> {
  const worker = new Worker(new URL('./stream-thread.ts', import.meta.url), {
    name: 'sqlite',
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const terminate = (): void => void worker.terminate();
  signal.addEventListener('abort', terminate);
  try {
    const messages = on(worker, 'message', { signal }) as AsyncIterable<[StreamMessage]>;
    for (let asked = 0; asked < PAGES_AHEAD; asked += 1) worker.postMessage('next');
    for await (const [message] of messages) {
      if (message === 'end') return;
      if ('problem' in message) throw new DatabaseUnavailable(message.problem);
      worker.postMessage('next');
      yield toRows(deserialize(message.page) as Page); // Serialized by the thread.
    }
  } catch (error) {
    throw signal.aborted ? new DatabaseUnavailable('the database was closed') : error;
  } finally {
    signal.removeEventListener('abort', terminate);
    await worker.terminate();
  }
}

function toRows({ names, rows }: Page): readonly unknown[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) row[name] = values[index];
    return row;
  });
}
