/** Commits items together that arrive together. */
export type GroupCommit<Item> = {
  /** Resolves once the item is committed; rejects when its group was not. */
  readonly add: (item: Item) => Promise<void>;
  /** Resolves once everything added before is committed, or was not. */
  readonly drain: () => Promise<void>;
};

type Waiting<Item> = {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Syncing a transaction to disk costs the same for one row and for a thousand, so what arrives in one turn of the event
 * loop shares a transaction. A lone item waits for nobody.
 *
 * @param commit stores all items or none, durably, before it returns; throws when it stored none
 */
export function createGroupCommit<Item>(commit: (items: readonly Item[]) => void): GroupCommit<Item> {
  let waiting: Waiting<Item>[] = [];

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ item, resolve, reject }) === 1) setImmediate(flush);
      }),
    drain: async () => {
      if (waiting.length > 0) await new Promise(setImmediate);
    },
  };

  function flush(): void {
    const group = waiting;
    waiting = [];
    try {
      commit(group.map(({ item }) => item));
    } catch (error) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve();
  }
}
