import type { Health } from './health.ts';
import { DatabaseUnavailable } from './database.ts';

/** Processes one batch of items at a time. */
export type BatchWorker<Item, Result> = {
  /** Resolves once the worker can be used, however long that takes. Never rejects. */
  readonly ready: () => Promise<void>;
  /**
   * Processes all items or none, in their order.
   *
   * @returns a result for each item
   * @throws {BatchFailed} with the way to recover; any other error is a bug, and fails the whole batch
   */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
};

/** A batch was not confirmed. */
export class BatchFailed extends Error {
  /**
   * - `retry`: run it again, as soon as a worker is ready;
   * - `split`: some of the items were refused; run the halves to find them;
   * - `wait`: reject it, the database cannot be used.
   */
  readonly recovery: 'retry' | 'split' | 'wait';

  constructor(recovery: BatchFailed['recovery'], cause: Error) {
    super(cause.message, { cause });
    this.recovery = recovery;
  }
}

export type BatchQueueOptions<Item, Result> = {
  readonly workers: readonly BatchWorker<Item, Result>[];
  /** The memory that a waiting item holds, in bytes. */
  readonly sizeOf: (item: Item) => number;
  /** Whether an item must have a batch of its own. */
  readonly isAlone: (item: Item) => boolean;
  /** The size of all waiting and pending items. */
  readonly queueLimitBytes: number;
  /** How long an item may take, with its time in the queue. */
  readonly timeoutMs: number;
  readonly health: Health;
  readonly onBatch?: (items: readonly Item[], durationMs: number) => void;
};

type Entry<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  isSettled: boolean;
};

// A larger transaction gains nothing, and its first item would wait for its last.
const MAX_BATCH_ITEMS = 1_000;
const MAX_BATCH_BYTES = 4_194_304;

/**
 * A bounded queue in front of workers. Items that arrive in one turn of the event loop, or while every worker is busy,
 * share a batch. For commits this is group commit: syncing a transaction to disk costs the same for one row and for a
 * thousand. A lone item waits for no other.
 */
export class BatchQueue<Item, Result> {
  readonly #options: BatchQueueOptions<Item, Result>;
  readonly #idle: BatchWorker<Item, Result>[];
  #waiting = new Set<Entry<Item, Result>>();
  #held = 0;
  #heldBytes = 0;
  #isScheduled = false;
  #isStuck = false;
  #drained = (): void => undefined;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
    this.#idle = [...options.workers];
  }

  /**
   * Resolves with the worker's result for the item.
   *
   * @throws {DatabaseUnavailable} when the queue is full, the database cannot be used, or the item's time is up (at once,
   *   when that of an earlier one was and nothing has moved since); a batch that is running may still complete
   * @throws {Error} the worker's, when it refused this very item
   */
  add(item: Item): Promise<Result> {
    const { sizeOf, queueLimitBytes, timeoutMs } = this.#options;
    if (this.#isStuck) return Promise.reject(new DatabaseUnavailable('the database does not answer'));
    const bytes = sizeOf(item);
    // An empty queue accepts an item of any size.
    if (this.#held > 0 && this.#heldBytes + bytes > queueLimitBytes) {
      return Promise.reject(new DatabaseUnavailable('too much is waiting for the database'));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#expire(entry);
      }, timeoutMs);
      const entry: Entry<Item, Result> = { item, bytes, timer, resolve, reject, isSettled: false };
      this.#waiting.add(entry);
      this.#held += 1;
      this.#heldBytes += bytes;
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#wakeWorker();
      });
    });
  }

  /** Resolves once nothing waits and nothing runs. */
  async drain(): Promise<void> {
    if (this.#held > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #wakeWorker(): void {
    const worker = this.#waiting.size > 0 ? this.#idle.pop() : undefined;
    if (worker !== undefined) void this.#serve(worker);
  }

  async #serve(worker: BatchWorker<Item, Result>): Promise<void> {
    while (this.#waiting.size > 0) {
      await worker.ready();
      this.#isStuck = false;
      await this.#run(worker, this.#takeBatch());
    }
    this.#idle.push(worker);
    // If every item failed at once, the queue would not notice that the database is back.
    this.#isStuck = false;
  }

  #takeBatch(): Entry<Item, Result>[] {
    const batch: Entry<Item, Result>[] = [];
    let bytes = 0;
    for (const entry of this.#waiting) {
      const isAlone = this.#options.isAlone(entry.item);
      bytes += entry.bytes;
      if (batch.length > 0 && (isAlone || batch.length === MAX_BATCH_ITEMS || bytes > MAX_BATCH_BYTES)) break;
      batch.push(entry);
      this.#waiting.delete(entry);
      if (!isAlone) continue;
      this.#wakeWorker(); // The next batch need not wait for this one. Others do, to keep their order.
      break;
    }
    return batch;
  }

  /** @param batch may be empty: while the worker got ready, another one was quicker, or the time of all was up */
  async #run(worker: BatchWorker<Item, Result>, batch: readonly Entry<Item, Result>[]): Promise<void> {
    const parts = batch.length > 0 ? [batch] : [];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      try {
        const items = part.map(({ item }) => item);
        const startedAt = performance.now();
        const results = (await worker.run(items)).values();
        this.#options.health.worked();
        this.#options.onBatch?.(items, performance.now() - startedAt);
        for (const entry of part) {
          const { value } = results.next() as IteratorYieldResult<Result>; // The worker has one for each item.
          this.#settle(entry, () => {
            entry.resolve(value);
          });
        }
      } catch (error) {
        const { recovery, cause } = error instanceof BatchFailed ? error : { recovery: 'none', cause: error };
        if (recovery === 'retry' || recovery === 'wait') this.#options.health.failed(cause);
        if (recovery === 'retry') {
          this.#putBack([part, ...parts].flat());
          return;
        }
        if (recovery === 'split' && part.length > 1) {
          const half = Math.ceil(part.length / 2);
          parts.unshift(part.slice(0, half), part.slice(half));
          continue;
        }
        const reason = recovery === 'wait' ? new DatabaseUnavailable('the database cannot be used', { cause }) : cause;
        for (const entry of part) {
          this.#settle(entry, () => {
            entry.reject(reason);
          });
        }
      }
    }
  }

  #putBack(batch: readonly Entry<Item, Result>[]): void {
    for (const entry of batch) if (entry.isSettled) this.#release(entry);
    this.#waiting = new Set([...batch.filter(({ isSettled }) => !isSettled), ...this.#waiting]);
  }

  #expire(entry: Entry<Item, Result>): void {
    const late = new DatabaseUnavailable(`the database did not answer within ${String(this.#options.timeoutMs)} ms`);
    this.#options.health.failed(late);
    entry.isSettled = true;
    if (this.#waiting.delete(entry)) {
      this.#isStuck = true;
      this.#release(entry);
    }
    entry.reject(late);
  }

  #settle(entry: Entry<Item, Result>, tell: () => void): void {
    this.#release(entry);
    if (entry.isSettled) return;
    entry.isSettled = true;
    clearTimeout(entry.timer);
    tell();
  }

  #release({ bytes }: Entry<Item, Result>): void {
    this.#held -= 1;
    this.#heldBytes -= bytes;
    if (this.#held === 0) this.#drained();
  }
}
