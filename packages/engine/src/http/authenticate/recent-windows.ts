/** A number of requests, and the end of their window by `performance.now()`. */
export type Window = { readonly count: number; readonly endsAt: number };

// More than the /64s of an IPv6 /48, which one client may have. Each takes 160 bytes.
const GENERATION_SIZE = 100_000;

/**
 * Keeps the windows of the last 100,000 to 200,000 keys that were counted.
 *
 * They are in two generations, of which the older one is dropped as a whole. To delete the oldest entries of a `Map` one by
 * one takes time in its size, since it skips what was deleted before them.
 */
export class RecentWindows {
  readonly #windowMs: number;
  #younger = new Map<string, Window>();
  #older = new Map<string, Window>();
  #youngerSince = performance.now();

  /** @param windowMs the longest time to the end of a window */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Returns the window of a key; `undefined` when it is over or not known. */
  get(key: string): Window | undefined {
    const window = this.#younger.get(key) ?? this.#older.get(key);
    return window !== undefined && window.endsAt > performance.now() ? window : undefined;
  }

  set(key: string, window: Window): void {
    const now = performance.now();
    if (this.#younger.size === GENERATION_SIZE || now > this.#youngerSince + this.#windowMs) {
      this.#older = this.#younger;
      this.#younger = new Map();
      this.#youngerSince = now;
    }
    this.#younger.set(key, window);
  }
}
