import { BoundedQueue, type Entry, type QueueOptions } from './bounded-queue.ts';
import { DatabaseUnavailable } from './database.ts';
import type { Health } from './health.ts';

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
  readonly run: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>;
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

export type BatchQueueOptions<Item, Result> = QueueOptions<Item> & {
  readonly workers: readonly BatchWorker<Item, Result>[];
  readonly health: Health;
  readonly onBatch?: (items: readonly Item[], durationMs: number) => void;
};

/**
 * A bounded queue in front of workers. Items that arrive in one turn of the event loop, or while every worker is busy,
 * share a batch. For commits this is group commit: syncing a transaction to disk costs the same for one row and for a
 * thousand. A lone item waits for no other.
 */
export class BatchQueue<Item, Result> {
  readonly #options: BatchQueueOptions<Item, Result>;
  readonly #idle: BatchWorker<Item, Result>[];
  readonly #queue: BoundedQueue<Item, Result>;
  #isScheduled = false;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
    this.#idle = [...options.workers];
    this.#queue = new BoundedQueue(options, options.health.failed);
  }

  /**
   * Resolves with the worker's result for the item.
   *
   * @throws {DatabaseUnavailable} when the queue is full, the database cannot be used, or the item's time is up (at once,
   *   when that of an earlier one was and nothing has moved since); a batch that is running may still complete
   * @throws {Error} the worker's, when it refused this very item
   */
  add(item: Item): Promise<Result> {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#endTurn);
    }
    return this.#queue.add(item);
  }

  /** Resolves once nothing waits and nothing runs. */
  drain(): Promise<void> {
    return this.#queue.drain();
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false;
    this.#wakeWorker();
  };

  #wakeWorker(): void {
    const worker = this.#queue.hasWaiting() ? this.#idle.pop() : undefined;
    if (worker !== undefined) void this.#serve(worker);
  }

  async #serve(worker: BatchWorker<Item, Result>): Promise<void> {
    while (this.#queue.hasWaiting()) {
      await worker.ready();
      this.#queue.progress();
      const batch = this.#queue.take();
      const [first] = batch;
      // Another worker was quicker, or the time of all items was up.
      if (first === undefined) break;
      // The next batch need not wait for an item that is alone. Others do, to keep their order.
      if (this.#options.isAlone(first.item)) this.#wakeWorker();
      await this.#run(worker, batch);
    }
    this.#idle.push(worker);
    // If every item failed at once, the queue would not notice that the database is back.
    this.#queue.progress();
  }

  async #run(worker: BatchWorker<Item, Result>, batch: readonly Entry<Item, Result>[]): Promise<void> {
    const parts = [batch];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      try {
        const items = part.map(({ item }) => item);
        const startedAt = performance.now();
        const results = await worker.run(items);
        this.#options.health.worked();
        this.#options.onBatch?.(items, performance.now() - startedAt);
        for (const [index, entry] of part.entries()) {
          const result = results[index] as Result; // The worker has one for each item.
          if (this.#queue.settle(entry)) entry.resolve(result);
        }
      } catch (error) {
        const { recovery, cause } = error instanceof BatchFailed ? error : { recovery: 'none', cause: error };
        if (recovery === 'retry' || recovery === 'wait') this.#options.health.failed(cause);
        if (recovery === 'retry') {
          this.#queue.putBack([part, ...parts].flat());
          return;
        }
        if (recovery === 'split' && part.length > 1) {
          const half = Math.ceil(part.length / 2);
          parts.unshift(part.slice(0, half), part.slice(half));
          continue;
        }
        const reason = recovery === 'wait' ? new DatabaseUnavailable('the database cannot be used', { cause }) : cause;
        for (const entry of part) if (this.#queue.settle(entry)) entry.reject(reason);
      }
    }
  }
}
