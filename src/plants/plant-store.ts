/** A plant as it was created. */
export type StoredPlant = {
  /** An int64. Not unique: the latest plant with an id is the current one. */
  readonly id: bigint;
  /** Any string, kept exactly. */
  readonly name: string;
  readonly tag?: string;
};

/** Where plants are kept. Nothing that was added is ever changed or removed. */
export interface PlantStore {
  /**
   * Adds a plant. When the promise resolves, the plant survives a crash of the process and of the machine, and is later
   * than every plant of its id that was added before.
   *
   * @param key a UUID that stands for this creation: under one key, a plant is added once, however often it is asked for
   * @returns whether it was added now; `false` when there is a plant under the key
   * @throws {DatabaseUnavailable} when the store cannot say that it is kept; it may be, now or in a moment
   * @throws {Error} when the database refuses this very plant; nothing was added
   */
  add(plant: StoredPlant, key?: string): Promise<boolean>;

  /**
   * Asks the database whether a plant could be added now.
   *
   * @throws {DatabaseUnavailable} when it could not
   */
  check(): Promise<void>;

  /** Waits for what is being added, then lets go of the database. Nothing may be asked of it afterwards. */
  close(): Promise<void>;
}

/** Reads what is kept, whether or not a service is adding to it at the same time. */
export interface PlantReader {
  /** The plants in the order they were added, one at a time: the current one for each id, or every creation. */
  list(which: 'current' | 'history'): AsyncIterable<StoredPlant>;

  /** Lets go of the database. */
  close(): Promise<void>;
}
