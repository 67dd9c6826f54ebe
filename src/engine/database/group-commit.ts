import type { Health } from './health.ts';
import { DatabaseUnavailable } from './database.ts';

/** Commits items together that arrive together. */
export type GroupCommit<Item, Result> = {
  /**
   * Resolves once the item is committed, with what the worker says of it.
   *
   * @throws {DatabaseUnavailable} when the queue is full, the database cannot be used, or the item's time is up (at once,
   *   when that of an earlier one was and nothing has moved since); what is under way may still store it
   * @throws {Error} what the worker threw, when it refused this very item
   */
  readonly add: (item: Item) => Promise<Result>;
  /** Resolves once a commit has worked, be it of nothing. @throws {DatabaseUnavailable} as above */
  readonly check: () => Promise<void>;
  /** Resolves once nothing waits and no commit is under way. */
  readonly drain: () => Promise<void>;
};

/** Commits one group at a time. */
export type CommitWorker<Item, Result> = {
  /** Resolves once the worker can commit, however long that takes. Never rejects. */
  readonly ready: () => Promise<void>;
  /**
   * Stores all items or none, durably, in their order. There may be none: then it finds out whether it could.
   *
   * @returns what there is to say of each item
   * @throws {CommitFailed} with what to do about it; any other error is a bug, and fails the whole group
   */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
};

/** Why nothing is known to be stored, and what helps. */
export class CommitFailed extends Error {
  /**
   * - `retry`: the same again, as soon as a worker is ready;
   * - `split`: some of the items were refused, and are to be found;
   * - `wait`: nothing for now, the database cannot be used.
   */
  readonly recovery: 'retry' | 'split' | 'wait';

  constructor(recovery: CommitFailed['recovery'], cause: Error) {
    super(cause.message, { cause });
    this.recovery = recovery;
  }
}

export type GroupCommitOptions<Item, Result> = {
  readonly workers: readonly CommitWorker<Item, Result>[];
  /** What an item holds on to while it waits, in bytes. */
  readonly sizeOf: (item: Item) => number;
  /** How much may wait, together with what is being committed. */
  readonly queueLimitBytes: number;
  /** How long an item may wait, its commit included. */
  readonly timeoutMs: number;
  readonly health: Health;
  readonly onCommit?: ((items: number, durationMs: number) => void) | undefined;
};

type Entry<Item, Result> = {
  /** None for a check. */
  readonly items: readonly Item[];
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
  isSettled: boolean;
};

// More in one transaction gains nothing, and lets the first of them wait for the last.
const MAX_GROUP_ITEMS = 1_000;
const MAX_GROUP_BYTES = 4_194_304;

/**
 * Syncing a transaction to disk costs the same for one row and for a thousand, so what arrives in one turn of the event
 * loop, or while every worker is busy, shares a transaction. A lone item waits for nobody.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  const { sizeOf, queueLimitBytes, timeoutMs, health } = options;
  const idle = [...options.workers];
  let waiting = new Set<Entry<Item, Result>>();
  let held = 0;
  let heldBytes = 0;
  let isScheduled = false;
  let isStuck = false;
  let drained = (): void => undefined;

  return {
    add: (item) => enqueue([item], sizeOf(item)) as Promise<Result>, // Only a check has none.
    check: async () => {
      await enqueue([], 0);
    },
    drain: async () => {
      if (held > 0) await new Promise<void>((resolve) => (drained = resolve));
    },
  };

  function enqueue(items: readonly Item[], bytes: number): Promise<Result | undefined> {
    if (isStuck) return Promise.reject(new DatabaseUnavailable('the database does not answer'));
    // However large, an item that nobody is in front of is taken.
    if (held > 0 && heldBytes + bytes > queueLimitBytes) {
      return Promise.reject(new DatabaseUnavailable('too much is waiting for the database'));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        expire(entry);
      }, timeoutMs);
      const entry: Entry<Item, Result> = { items, bytes, timer, resolve, reject, isSettled: false };
      waiting.add(entry);
      held += 1;
      heldBytes += bytes;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(dispatch);
    });
  }

  function dispatch(): void {
    isScheduled = false;
    const worker = idle.pop();
    if (worker !== undefined) void serve(worker);
  }

  async function serve(worker: CommitWorker<Item, Result>): Promise<void> {
    while (waiting.size > 0) {
      await worker.ready();
      isStuck = false;
      await commit(worker, takeGroup());
    }
    idle.push(worker);
    // While all are refused at once, nobody would find out that the database is back.
    isStuck = false;
  }

  function takeGroup(): Entry<Item, Result>[] {
    const group: Entry<Item, Result>[] = [];
    let bytes = 0;
    for (const entry of waiting) {
      bytes += entry.bytes;
      if (group.length === MAX_GROUP_ITEMS || (group.length > 0 && bytes > MAX_GROUP_BYTES)) break;
      group.push(entry);
      waiting.delete(entry);
    }
    return group;
  }

  /** @param group may be empty: while the worker got ready, another worker was quicker, or the time of all was up */
  async function commit(worker: CommitWorker<Item, Result>, group: readonly Entry<Item, Result>[]): Promise<void> {
    const parts = group.length > 0 ? [group] : [];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      try {
        const items = part.flatMap((entry) => entry.items);
        const startedAt = performance.now();
        const results = (await worker.commit(items)).values();
        health.worked();
        if (items.length > 0) options.onCommit?.(items.length, performance.now() - startedAt);
        for (const entry of part) {
          const result = entry.items.length === 0 ? undefined : results.next().value;
          settle(entry, () => {
            entry.resolve(result);
          });
        }
      } catch (error) {
        const { recovery, cause } = error instanceof CommitFailed ? error : { recovery: 'none', cause: error };
        if (recovery === 'retry' || recovery === 'wait') health.failed(cause);
        if (recovery === 'retry') {
          putBack([part, ...parts].flat());
          return;
        }
        if (recovery === 'split' && part.length > 1) {
          const half = Math.ceil(part.length / 2);
          parts.unshift(part.slice(0, half), part.slice(half));
          continue;
        }
        const reason = recovery === 'wait' ? new DatabaseUnavailable('the database cannot be used', { cause }) : cause;
        for (const entry of part) {
          settle(entry, () => {
            entry.reject(reason);
          });
        }
      }
    }
  }

  function putBack(group: readonly Entry<Item, Result>[]): void {
    group.filter(({ isSettled }) => isSettled).forEach(release);
    waiting = new Set([...group.filter(({ isSettled }) => !isSettled), ...waiting]);
  }

  function expire(entry: Entry<Item, Result>): void {
    const late = new DatabaseUnavailable(`the database did not answer within ${String(timeoutMs)} ms`);
    health.failed(late);
    entry.isSettled = true;
    if (waiting.delete(entry)) {
      isStuck = true;
      release(entry);
    }
    entry.reject(late);
  }

  function settle(entry: Entry<Item, Result>, tell: () => void): void {
    release(entry);
    if (entry.isSettled) return;
    entry.isSettled = true;
    clearTimeout(entry.timer);
    tell();
  }

  function release({ bytes }: Entry<Item, Result>): void {
    held -= 1;
    heldBytes -= bytes;
    if (held === 0) drained();
  }
}
