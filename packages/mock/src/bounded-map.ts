/** The maximum total size of resources, or of other entries, in the mock: around 50 MB of JSON. */
export const MAX_KEPT_SIZE = 5_000_000;

/** A map that removes its oldest entries above a number of entries or a total size. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #limit: number;
  readonly #maxSize: number;
  readonly #sizeOf: (key: string, value: Value) => number;
  #size = 0;

  /** @param sizeOf returns the size of an entry, which must not change */
  constructor(limit: number, sizeOf: (key: string, value: Value) => number = () => 0, maxSize: number = MAX_KEPT_SIZE) {
    super();
    this.#limit = limit;
    this.#maxSize = maxSize;
    this.#sizeOf = sizeOf;
  }

  override set(key: string, value: Value): this {
    this.delete(key);
    super.set(key, value);
    this.#size += this.#sizeOf(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#limit && this.#size <= this.#maxSize) break;
      this.delete(oldest);
    }
    return this;
  }

  override delete(key: string): boolean {
    const value = this.get(key);
    if (value !== undefined) this.#size -= this.#sizeOf(key, value);
    return super.delete(key);
  }

  override clear(): void {
    this.#size = 0;
    super.clear();
  }
}
