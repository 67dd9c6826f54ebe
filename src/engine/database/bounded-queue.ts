import { DatabaseUnavailable } from './database.ts';

export type QueueOptions<Item> = {
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
export type Entry<Item, Result> = {
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

/** Holds waiting and pending items: all of them bounded in bytes, each of them in time. */
export class BoundedQueue<Item, Result> {
  readonly #options: QueueOptions<Item>;
  readonly #onExpired: (error: DatabaseUnavailable) => void;
  #waiting = new Set<Entry<Item, Result>>();
  #held = 0;
  #heldBytes = 0;
  #isStuck = false;
  #drained = (): void => undefined;

  constructor(options: QueueOptions<Item>, onExpired: (error: DatabaseUnavailable) => void) {
    this.#options = options;
    this.#onExpired = onExpired;
  }

  hasWaiting(): boolean {
    return this.#waiting.size > 0;
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
    });
  }

  /** Takes the items of the next batch; none when none waits. */
  take(): Entry<Item, Result>[] {
    const batch: Entry<Item, Result>[] = [];
    let bytes = 0;
    for (const entry of this.#waiting) {
      const isAlone = this.#options.isAlone(entry.item);
      bytes += entry.bytes;
      if (batch.length > 0 && (isAlone || batch.length === MAX_BATCH_ITEMS || bytes > MAX_BATCH_BYTES)) break;
      batch.push(entry);
      this.#waiting.delete(entry);
      if (isAlone) break;
    }
    return batch;
  }

  /** Puts taken items back, before all others. */
  putBack(batch: readonly Entry<Item, Result>[]): void {
    for (const entry of batch) if (entry.isSettled) this.#release(entry);
    this.#waiting = new Set([...batch.filter(({ isSettled }) => !isSettled), ...this.#waiting]);
  }

  /** Removes an item that was taken. Calls `tell` unless its result is settled already. */
  settle(entry: Entry<Item, Result>, tell: () => void): void {
    this.#release(entry);
    if (entry.isSettled) return;
    entry.isSettled = true;
    clearTimeout(entry.timer);
    tell();
  }

  /** Reports that items are being taken, so that new ones are accepted again. */
  progress(): void {
    this.#isStuck = false;
  }

  /** Resolves once nothing waits and nothing is pending. */
  async drain(): Promise<void> {
    if (this.#held > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #expire(entry: Entry<Item, Result>): void {
    const late = new DatabaseUnavailable(`the database did not answer within ${String(this.#options.timeoutMs)} ms`);
    this.#onExpired(late);
    entry.isSettled = true;
    if (this.#waiting.delete(entry)) {
      this.#isStuck = true;
      this.#release(entry);
    }
    entry.reject(late);
  }

  #release({ bytes }: Entry<Item, Result>): void {
    this.#held -= 1;
    this.#heldBytes -= bytes;
    if (this.#held === 0) this.#drained();
  }
}
