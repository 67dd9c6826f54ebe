import { DatabaseUnavailable, type DatabaseReader } from './database.ts';
import type { Query } from './sql.ts';

/** A slot of the limited number of connections for streams. */
export type StreamSlot = {
  /** Resolves when another stream waits for a slot: from then on, rows are read without waiting for the consumer. */
  readonly hurried: Promise<void>;
  /**
   * Lets another stream use the connection, when all rows were read. The consumer may still be reading spooled rows.
   */
  readonly release: () => void;
};

type Waiting = { readonly start: (slot: StreamSlot) => void };

/**
 * Limits the number of streams that use a connection at the same time. When a further stream waits, the oldest stream
 * is hurried: its rows are spooled to a temporary file, so that a slow consumer does not occupy its connection.
 *
 * @param timeoutMs how long a stream may wait
 * @param readPages runs a query and returns its rows in pages
 */
export function limitStreams(
  limit: number,
  timeoutMs: number,
  readPages: (query: Query, slot: StreamSlot) => AsyncIterable<readonly unknown[]>,
): DatabaseReader['stream'] {
  /** The functions that hurry the streams with a connection, the oldest stream first. */
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

  /** Hurries as many of the oldest streams as there are waiting streams. */
  function hurryOldest(): void {
    for (const hurry of [...reading].slice(0, waiting.size)) hurry();
  }
}
