import { on, once } from 'node:events';
import { deserialize } from 'node:v8';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from '../database.ts';
import type { Statement } from '../sql.ts';
import type { StreamSlot } from '../streams.ts';
import type { StoreSchema } from './open-file.ts';
import type { RowPage, StreamMessage, StreamQuery, StreamRequest } from './stream-thread.ts';
import { startThread } from './worker.ts';

// The thread reads the next page while a page is consumed.
const PAGES_AHEAD = 2;

type Thread = { readonly worker: Worker; streams: number; error?: unknown };

/**
 * Creates the function that streams the rows of a query in pages, and releases the slot when the rows were read. All
 * streams share one thread, since a thread takes more memory than the pages. The thread ends with the last stream.
 *
 * @returns a function that throws {@link DatabaseUnavailable} while reading
 */
export function createStreamPages(
  data: { readonly path: string; readonly schema: StoreSchema },
  closed: AbortSignal,
): (query: Statement, slot: StreamSlot) => AsyncGenerator<readonly unknown[]> {
  let thread: Thread | undefined;
  const isClosed = (): boolean => closed.aborted;
  closed.addEventListener('abort', () => void thread?.worker.terminate());
  return async function* streamPages(query, slot) {
    if (isClosed()) throw new DatabaseUnavailable('the database was closed');
    const used = (thread ??= start());
    used.streams += 1;
    const { port1: port, port2: threadPort } = new MessageChannel();
    const end = once(port, 'close');
    const ask = (request: StreamRequest): void => {
      port.postMessage(request);
    };
    try {
      port.on('message', (message: StreamMessage) => {
        if (message === 'read') slot.release(); // Even while the consumer is not reading.
      });
      const messages = on(port, 'message', { close: ['close'] }) as AsyncIterable<[StreamMessage]>;
      used.worker.postMessage({ query, port: threadPort } satisfies StreamQuery, [threadPort]);
      for (let asked = 0; asked < PAGES_AHEAD; asked += 1) ask('next');
      for await (const [message] of messages) {
        if (message === 'read') continue;
        if (message === 'end') return;
        if ('problem' in message) throw new DatabaseUnavailable(message.problem);
        ask('next');
        const page = deserialize(message.page) as RowPage; // Serialized by the thread.
        message.page.buffer.transfer(0);
        yield toRows(page);
      }
      throw isClosed() ? new DatabaseUnavailable('the database was closed') : used.error;
    } finally {
      ask('cancel');
      port.start(); // Discards pages in transit, which would delay the close event.
      await end;
      used.streams -= 1;
      if (used.streams === 0) {
        if (thread === used) thread = undefined;
        await used.worker.terminate();
      }
    }
  };

  function start(): Thread {
    const started: Thread = { worker: startThread('./stream-thread', data), streams: 0 };
    // All streams fail with the thread, for example when a row exceeds its memory.
    started.worker.once('error', (error) => {
      started.error = error;
      if (thread === started) thread = undefined;
    });
    return started;
  }
}

function toRows({ names, rows }: RowPage): readonly unknown[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) row[name] = values[index];
    return row;
  });
}
