/** A created plant. */
export type StoredPlant = {
  /** An int64. Not unique: the latest plant with an id is the current one. */
  readonly id: bigint;
  /** Any string, kept exactly. */
  readonly name: string;
  readonly tag?: string;
};

/** Stores plants. Added plants are never changed or removed. */
export interface PlantStore {
  /**
   * Adds a plant. When the promise resolves, the plant survives a crash of the process and of the machine, and is later
   * than every plant of its id that was added before.
   *
   * @param key a UUID that stands for this creation: one plant is added for each key, however often `add` is called
   * @returns whether it was added now; `false` when there is a plant under the key
   * @throws {DatabaseUnavailable} when the store cannot confirm it; it may have been stored
   * @throws {Error} when the database rejects this plant; nothing was added
   */
  add(plant: StoredPlant, key?: string): Promise<boolean>;

  /**
   * Checks that a plant could be added now.
   *
   * @throws {DatabaseUnavailable} when it could not
   */
  check(): Promise<void>;

  /** Waits for pending additions, then closes the database. No method may be called afterwards. */
  close(): Promise<void>;
}

/** Reads plants, even while a service adds plants. */
export interface PlantReader {
  /** Yields plants in the order of creation, one at a time: the latest plant for each id, or every creation. */
  list(which: 'latest' | 'history'): AsyncIterable<StoredPlant>;

  /** Closes the database. */
  close(): Promise<void>;
}
