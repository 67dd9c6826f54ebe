/** A plant as it was created. */
export type StoredPlant = {
  /** An int64. Not unique: the latest plant with an id is the current one. */
  readonly id: bigint;
  /** Any string, kept exactly. */
  readonly name: string;
  readonly tag?: string;
};

/** Reads what is kept, whether or not a service is adding to it at the same time. */
export interface PlantReader {
  /** The plants in the order they were added, one at a time: the current one for each id, or every creation. */
  list(which: 'current' | 'history'): AsyncIterable<StoredPlant>;

  /** Waits for what is being added, then lets go of the database. Nothing may be asked of it afterwards. */
  close(): Promise<void>;
}

/** Where plants are kept. Nothing that was added is ever changed or removed. */
export interface PlantStore extends PlantReader {
  /**
   * Adds a plant. When the promise resolves, the plant survives a crash of the process and of the machine. When it
   * rejects, the plant cannot be read; only where a sync to disk failed may a crash bring it back.
   */
  add(plant: StoredPlant): Promise<void>;
}

/** The database cannot be used; the message says why, in one line for whoever starts the service. */
export class StoreUnavailable extends Error {}
