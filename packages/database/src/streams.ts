import { DatabaseUnavailable, type DatabaseReader } from './database.ts';
import type { Query } from './sql.ts';

/** A stream's use of one of a limited number of connections. */
export type StreamSlot = {
  /** Resolves when another stream waits: from then on, the rows are read without waiting for their consumer. */
  readonly hurried: Promise<void>;
  /** Lets another stream use the connection. The consumer may still have rows to take. */
  readonly release: () => void;
};

type Waiting = { readonly start: (slot: StreamSlot) => void };

/**
 * Bounds how many streams use a connection at once. Further ones wait for a connection, whose stream is hurried meanwhile:
 * its rows are kept in a temporary file, so consumers that take them slowly do not occupy the connections.
 *
 * @param timeoutMs how long a stream may wait
 * @param readPages runs a query and returns its rows in pages
 */
export function limitStreams(
  limit: number,
  timeoutMs: number,
  readPages: (query: Query, slot: StreamSlot) => AsyncIterable<readonly unknown[]>,
): DatabaseReader['stream'] {
  /** The streams that use a connection, by the function that hurries them, the oldest first. */
  const reading = new Set<() => void>();
  const waiting = new Set<Waiting>();
  return async function* stream<Row>(query: Query<Row>) {
    const slot = reading.size < limit ? open() : await waitForSlot();
    try {
      for await (const page of readPages(query, slot)) {
        for (const row of page) yield row as Row; // The query declares its row type.
      }
    } finally {
      slot.release();
    }
  };

  function open(): StreamSlot {
    let hurry = (): void => undefined;
    const hurried = new Promise<void>((resolve) => (hurry = resolve));
    reading.add(hurry);
    hurryOldest();
    return {
      hurried,
      release() {
        if (!reading.delete(hurry)) return;
        const [first] = waiting;
        if (first === undefined) return;
        waiting.delete(first);
        first.start(open());
      },
    };
  }

  function waitForSlot(): Promise<StreamSlot> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        start(slot) {
          clearTimeout(timer);
          resolve(slot);
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(entry);
        reject(new DatabaseUnavailable(`no stream of ${String(limit)} ended within ${String(timeoutMs)} ms`));
      }, timeoutMs);
      waiting.add(entry);
      hurryOldest();
    });
  }

  /** Hurries a stream for each one that waits. */
  function hurryOldest(): void {
    for (const hurry of [...reading].slice(0, waiting.size)) hurry();
  }
}
