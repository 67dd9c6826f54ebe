/** Collects bytes in one piece of memory: many small pieces would take a multiple of it. */
export class GrowingBytes {
  #memory = Buffer.alloc(0);
  #length = 0;

  /** Appends a copy of some bytes. */
  append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#memory.length));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    bytes.copy(this.#memory, this.#length);
    this.#length = length;
  }

  /** Returns all bytes so far, without a copy. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}
