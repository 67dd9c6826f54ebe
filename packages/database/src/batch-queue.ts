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
          const result = results[index] as Result; // The worker returns a result for each item.
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
  /** Whether an item must have its own batch. */
  readonly isAlone: (item: Item) => boolean;
  /** The maximum size of all waiting and running items. */
  readonly queueLimitBytes: number;
  /** How long an item may take, including its time in the queue. */
  readonly timeoutMs: number;
  /** Returns the statement of an item, or names its work, for the error of an item that takes too long. */
  readonly statementOf?: (item: Item) => string | undefined;
};

/** An item, from its arrival to the end of its batch. Its result may be settled earlier, by a timeout. */
type Entry<Item, Result> = {
  readonly item: Item;
  readonly bytes: number;
  readonly expiresAt: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  isTaken: boolean;
  isSettled: boolean;
};

// A larger transaction is no faster, and its first item would wait longer for the last.
const MAX_BATCH_ITEMS = 1_000;
const MAX_BATCH_BYTES = 4_194_304;

/** Holds waiting and running items. The total size and the time of each item are limited. */
class BoundedQueue<Item, Result> {
  readonly #options: QueueOptions<Item>;
  readonly #onExpired: (error: DatabaseUnavailable) => void;
  /** Waiting and running items, the oldest first. */
  readonly #held = new Set<Entry<Item, Result>>();
  #waiting: Entry<Item, Result>[] = [];
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
    if (this.#held.size > 0 && this.#heldBytes + bytes > queueLimitBytes) {
      return Promise.reject(new DatabaseUnavailable('too much is waiting for the database'));
    }
    this.#heldBytes += bytes;
    if (this.#timer === undefined) this.#timer = setTimeout(this.#expire, timeoutMs).unref();
    return new Promise((resolve, reject) => {
      const entry: Entry<Item, Result> = { item, bytes, expiresAt, resolve, reject, isTaken: false, isSettled: false };
      this.#held.add(entry);
      this.#waiting.push(entry);
    });
  }

  /** Takes the items of the next batch. Returns an empty list when no item is waiting. */
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

  /** Returns taken items to the head of the queue. */
  putBack(batch: readonly Entry<Item, Result>[]): void {
    for (const entry of batch) {
      entry.isTaken = false;
      if (entry.isSettled) this.#release(entry);
    }
    this.#waiting = [...batch.filter(({ isSettled }) => !isSettled), ...this.#waiting];
  }

  /** Removes a taken item. Returns whether its result is still awaited. */
  settle(entry: Entry<Item, Result>): boolean {
    this.#release(entry);
    const isAwaited = !entry.isSettled;
    entry.isSettled = true;
    return isAwaited;
  }

  /** Reports that items are being taken, so that new items are accepted again. */
  progress(): void {
    this.#isStuck = false;
  }

  /** Resolves once no item is waiting or running. */
  async drain(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  /** Rejects the items that timed out, and sets the timer for the next item. */
  readonly #expire = (): void => {
    const now = performance.now();
    this.#timer = undefined;
    for (const entry of this.#held) {
      if (entry.isSettled) continue;
      if (entry.expiresAt > now) {
        this.#timer = setTimeout(this.#expire, Math.ceil(entry.expiresAt - now)).unref();
        break;
      }
      const late = this.#lateError(entry);
      this.#onExpired(late);
      entry.isSettled = true;
      entry.reject(late);
      if (entry.isTaken) continue;
      this.#isStuck = true;
      this.#release(entry);
    }
    if (this.#isStuck) this.#waiting = this.#waiting.filter(({ isSettled }) => !isSettled);
  };

  /** Returns the error of an item that timed out. It names a running statement, since all later items wait for it. */
  #lateError({ item, isTaken }: Entry<Item, Result>): DatabaseUnavailable {
    const { timeoutMs, statementOf } = this.#options;
    const statement = isTaken ? statementOf?.(item) : undefined;
    const running = statement === undefined ? '' : `; it is running ${statement}`;
    return new DatabaseUnavailable(`the database did not answer within ${String(timeoutMs)} ms${running}`);
  }

  #release(entry: Entry<Item, Result>): void {
    this.#held.delete(entry);
    this.#heldBytes -= entry.bytes;
    if (this.#held.size === 0) this.#drained();
  }
}
