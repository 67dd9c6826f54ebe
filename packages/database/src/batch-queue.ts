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

type QueueOptions<Item> = {
  /** The memory that an item holds, in bytes. */
  readonly sizeOf: (item: Item) => number;
  /** Whether an item must have a batch of its own. */
  readonly isAlone: (item: Item) => boolean;
  /** The size of all waiting and pending items. */
  readonly queueLimitBytes: number;
  /** How long an item may take, with its time in the queue. */
  readonly timeoutMs: number;
};

/** An item, from its arrival to the end of its batch; its result may have been settled before. */
type Entry<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  readonly expiresAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  isTaken: boolean;
  isSettled: boolean;
};

// A larger transaction gains nothing, and its first item would wait for its last.
const MAX_BATCH_ITEMS = 1_000;
const MAX_BATCH_BYTES = 4_194_304;

/** Holds waiting and pending items: all of them bounded in bytes, each of them in time. */
class BoundedQueue<Item, Result> {
  readonly #options: QueueOptions<Item>;
  readonly #onExpired: (error: DatabaseUnavailable) => void;
  /** Waiting and pending, the oldest first. */
  readonly #held = new Set<Entry<Item, Result>>();
  #waiting: Entry<Item, Result>[] = [];
  #heldBytes = 0;
  /** One for all items: that of the oldest, which may be settled by then. */
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
   * Resolves with the result that the item is settled with.
   *
   * @throws {DatabaseUnavailable} when the queue is full, or the item's time is up: at once, when that of an earlier one
   *   was up before it was taken, and `progress` has not been called since
   */
  add(item: Item): Promise<Result> {
    const { sizeOf, queueLimitBytes, timeoutMs } = this.#options;
    if (this.#isStuck) return Promise.reject(new DatabaseUnavailable('the database does not answer'));
    const bytes = sizeOf(item);
    // An empty queue accepts an item of any size.
    if (this.#held.size > 0 && this.#heldBytes + bytes > queueLimitBytes) {
      return Promise.reject(new DatabaseUnavailable('too much is waiting for the database'));
    }
    this.#heldBytes += bytes;
    if (this.#timer === undefined) this.#timer = setTimeout(this.#expire, timeoutMs).unref();
    return new Promise((resolve, reject) => {
      const expiresAt = performance.now() + timeoutMs;
      const entry: Entry<Item, Result> = { item, bytes, expiresAt, resolve, reject, isTaken: false, isSettled: false };
      this.#held.add(entry);
      this.#waiting.push(entry);
    });
  }

  /** Takes the items of the next batch; none when none waits. */
  take(): readonly Entry<Item, Result>[] {
    const { isAlone } = this.#options;
    const batch: Entry<Item, Result>[] = [];
    let bytes = 0;
    for (const entry of this.#waiting) {
      const alone = isAlone(entry.item);
      bytes += entry.bytes;
      if (batch.length > 0 && (alone || batch.length === MAX_BATCH_ITEMS || bytes > MAX_BATCH_BYTES)) break;
      entry.isTaken = true;
      batch.push(entry);
      if (alone) break;
    }
    this.#waiting = this.#waiting.slice(batch.length);
    return batch;
  }

  /** Puts taken items back, before all others. */
  putBack(batch: readonly Entry<Item, Result>[]): void {
    for (const entry of batch) {
      entry.isTaken = false;
      if (entry.isSettled) this.#release(entry);
    }
    this.#waiting = [...batch.filter(({ isSettled }) => !isSettled), ...this.#waiting];
  }

  /** Removes an item that was taken. Returns whether its result is still awaited. */
  settle(entry: Entry<Item, Result>): boolean {
    this.#release(entry);
    const isAwaited = !entry.isSettled;
    entry.isSettled = true;
    return isAwaited;
  }

  /** Reports that items are being taken, so that new ones are accepted again. */
  progress(): void {
    this.#isStuck = false;
  }

  /** Resolves once nothing waits and nothing is pending. */
  async drain(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  /** Rejects the items whose time is up, and waits for the next. */
  readonly #expire = (): void => {
    const now = performance.now();
    const late = new DatabaseUnavailable(`the database did not answer within ${String(this.#options.timeoutMs)} ms`);
    this.#timer = undefined;
    for (const entry of this.#held) {
      if (entry.isSettled) continue;
      if (entry.expiresAt > now) {
        this.#timer = setTimeout(this.#expire, Math.ceil(entry.expiresAt - now)).unref();
        break;
      }
      this.#onExpired(late);
      entry.isSettled = true;
      entry.reject(late);
      if (entry.isTaken) continue;
      this.#isStuck = true;
      this.#release(entry);
    }
    if (this.#isStuck) this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
  };

  #release(entry: Entry<Item, Result>): void {
    this.#held.delete(entry);
    this.#heldBytes -= entry.bytes;
    if (this.#held.size === 0) this.#drained();
  }
}
