import { DatabaseUnavailable } from './database.ts';
import type { Health } from './health.ts';

/** Processes one batch of items at a time. */
export type BatchWorker<Item, Result> = {
  /** Resolves once the worker is available, without a time limit. Never rejects. */
  readonly ready: () => Promise<void>;
  /**
   * Processes all items or none, in order.
   *
   * @returns a result for each item
   * @throws {BatchFailed} with the recovery; any other error is a bug and fails the whole batch
   */
  readonly run: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>;
};

/** A batch failed or was not confirmed. */
export class BatchFailed extends Error {
  /**
   * - `retry`: run the batch again as soon as a worker is ready;
   * - `split`: some items were refused; run both halves to find them;
   * - `wait`: reject the batch, since the database is unavailable.
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
 * share a batch. For commits this is group commit: syncing a transaction to disk costs the same for one row as for a
 * thousand. A single item is processed at once.
 */
export class BatchQueue<Item, Result> {
  readonly #options: BatchQueueOptions<Item, Result>;
  readonly #idle: BatchWorker<Item, Result>[];
  readonly #queue: BoundedQueue<Item, Result>;
  #isScheduled = false;
  /** When the items of this turn time out: together, so that a caller can repeat them in their order. */
  #expiresAt = 0;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
    this.#idle = [...options.workers];
    this.#queue = new BoundedQueue(options, options.health.failed);
  }

  /**
   * Resolves with the worker's result for the item.
   *
   * @throws {DatabaseUnavailable} when the queue is full, the database is unavailable, or the item timed out; at once,
   *   if an earlier item timed out and no batch has started since. A running batch may still complete
   * @throws {Error} the worker's error, when it refused this item
   */
  add(item: Item): Promise<Result> {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#expiresAt = performance.now() + this.#options.timeoutMs;
      setImmediate(this.#endTurn);
    }
    return this.#queue.add(item, this.#expiresAt);
  }

  /** Resolves once no item is waiting or running. */
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
      // Another worker took the items, or they timed out.
      if (first === undefined) break;
      // An item that must be alone does not delay the next batch. Other batches are taken one by one, to keep the
      // order.
      if (this.#options.isAlone(first.item)) this.#wakeWorker();
      await this.#run(worker, batch);
    }
    this.#idle.push(worker);
    // While the queue is stuck, it rejects items at once, so it would not notice that the database has recovered.
    this.#queue.progress();
  }

  async #run(worker: BatchWorker<Item, Result>, batch: Batch<Item, Result>): Promise<void> {
    const parts = [batch];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      try {
        const items = part.map(({ item }) => item);
        const startedAt = performance.now();
        const results = await worker.run(items);
        this.#options.health.worked();
        this.#options.onBatch?.(items, performance.now() - startedAt);
        part.forEach((entry, index) => {
          entry.isSettled = true;
          entry.resolve(results[index] as Result); // The worker returns a result for each item.
        });
      } catch (error) {
        const { recovery, cause } = error instanceof BatchFailed ? error : { recovery: 'none', cause: error };
        if (recovery === 'retry' || recovery === 'wait') this.#options.health.failed(cause);
        if (recovery === 'retry') break;
        if (recovery === 'split' && part.length > 1) {
          const half = Math.ceil(part.length / 2);
          parts.unshift(part.slice(0, half), part.slice(half));
          continue;
        }
        const reason = recovery === 'wait' ? new DatabaseUnavailable('the database cannot be used', { cause }) : cause;
        for (const entry of part) {
          entry.isSettled = true;
          entry.reject(reason);
        }
      }
    }
    this.#queue.finish(batch);
  }
}

type QueueOptions<Item> = {
  /** The memory that an item holds, in bytes. */
  readonly sizeOf: (item: Item) => number;
  /** Whether an item must have its own batch. */
  readonly isAlone: (item: Item) => boolean;
  /** The maximum size of all waiting and running items. */
  readonly queueLimitBytes: number;
  /** How long an item may take, including its time in the queue. */
  readonly timeoutMs: number;
  /** Returns the statement of an item, or names its work, for the error of an item that takes too long. */
  readonly statementOf?: (item: Item) => string | undefined;
};

/** An item, from its arrival to the end of its batch. */
type Entry<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  readonly expiresAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Whether the item has its result, or has timed out. */
  isSettled: boolean;
};

type Batch<Item, Result> = readonly Entry<Item, Result>[];

// A larger transaction is no faster, and its first item would wait longer for the last.
const MAX_BATCH_ITEMS = 1_000;
const MAX_BATCH_BYTES = 4_194_304;

/** Holds waiting and running items. The total size and the time of each item are limited. */
class BoundedQueue<Item, Result> {
  readonly #options: QueueOptions<Item>;
  readonly #onExpired: (error: DatabaseUnavailable) => void;
  // Arrays: a Set that grows and shrinks keeps the items of its earlier tables alive until a full garbage collection.
  #running: Batch<Item, Result>[] = [];
  #waiting: Entry<Item, Result>[] = [];
  /** The size of all waiting and running items. */
  #heldBytes = 0;
  /** A single timer, for the timeout of the oldest item, which may be settled before. */
  #timer: NodeJS.Timeout | undefined;
  #isStuck = false;
  #drained = (): void => undefined;

  constructor(options: QueueOptions<Item>, onExpired: (error: DatabaseUnavailable) => void) {
    this.#options = options;
    this.#onExpired = onExpired;
  }

  hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Adds an item. Resolves with its result.
   *
   * @param expiresAt when the item times out, in the time of `performance.now()`
   * @throws {DatabaseUnavailable} when the queue is full, or the item timed out; at once, if an earlier item timed out
   *   before it was taken and `progress` has not been called since
   */
  add(item: Item, expiresAt: number): Promise<Result> {
    const { sizeOf, queueLimitBytes, timeoutMs } = this.#options;
    if (this.#isStuck) return Promise.reject(new DatabaseUnavailable('the database does not answer'));
    const bytes = sizeOf(item);
    // An empty queue accepts an item of any size.
    if (!this.#isEmpty() && this.#heldBytes + bytes > queueLimitBytes) {
      return Promise.reject(new DatabaseUnavailable('too much is waiting for the database'));
    }
    this.#heldBytes += bytes;
    if (this.#timer === undefined) this.#timer = setTimeout(this.#expire, timeoutMs).unref();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, bytes, expiresAt, resolve, reject, isSettled: false });
    });
  }

  /** Takes the items of the next batch. Returns an empty list when no item is waiting. */
  take(): Batch<Item, Result> {
    const { isAlone } = this.#options;
    const batch: Entry<Item, Result>[] = [];
    let bytes = 0;
    for (const entry of this.#waiting) {
      const alone = isAlone(entry.item);
      bytes += entry.bytes;
      if (batch.length > 0 && (alone || batch.length === MAX_BATCH_ITEMS || bytes > MAX_BATCH_BYTES)) break;
      batch.push(entry);
      if (alone) break;
    }
    this.#waiting = this.#waiting.slice(batch.length);
    if (batch.length > 0) this.#running.push(batch);
    return batch;
  }

  /** Ends a taken batch. Its items without a result return to the head of the queue. */
  finish(batch: Batch<Item, Result>): void {
    this.#running = this.#running.filter((each) => each !== batch);
    const unsettled = batch.filter(isUnsettled);
    if (unsettled.length > 0) this.#waiting = [...unsettled, ...this.#waiting];
    this.#release(batch);
  }

  /** Reports that items are being taken, so that new items are accepted again. */
  progress(): void {
    this.#isStuck = false;
  }

  /** Resolves once no item is waiting or running. */
  async drain(): Promise<void> {
    if (!this.#isEmpty()) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#running.length === 0;
  }

  /** Rejects the items that timed out, and sets the timer for the next item. */
  readonly #expire = (): void => {
    const now = performance.now();
    const isLate = (entry: Entry<Item, Result>): boolean => !entry.isSettled && entry.expiresAt <= now;
    for (const entry of this.#running.flat().filter(isLate)) {
      // Names the statement, since all later items wait for it.
      this.#rejectLate(entry, this.#options.statementOf?.(entry.item));
    }
    const late = this.#waiting.filter(isLate);
    for (const entry of late) this.#rejectLate(entry);
    if (late.length > 0) {
      this.#isStuck = true;
      this.#waiting = this.#waiting.filter(isUnsettled);
      this.#release(late);
    }
    const unsettled = [...this.#running, this.#waiting].flat().filter(isUnsettled);
    const nextAt = unsettled.reduce((earliest, { expiresAt }) => Math.min(earliest, expiresAt), Infinity);
    this.#timer = unsettled.length === 0 ? undefined : setTimeout(this.#expire, Math.ceil(nextAt - now)).unref();
  };

  #rejectLate(entry: Entry<Item, Result>, statement?: string): void {
    const running = statement === undefined ? '' : `; it is running ${statement}`;
    const error = new DatabaseUnavailable(
      `the database did not answer within ${String(this.#options.timeoutMs)} ms${running}`,
    );
    this.#onExpired(error);
    entry.isSettled = true;
    entry.reject(error);
  }

  /** Releases the memory of the settled items in a list. */
  #release(entries: Batch<Item, Result>): void {
    for (const { isSettled, bytes } of entries) if (isSettled) this.#heldBytes -= bytes;
    if (this.#isEmpty()) this.#drained();
  }
}

function isUnsettled({ isSettled }: { readonly isSettled: boolean }): boolean {
  return !isSettled;
}
