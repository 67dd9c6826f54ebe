const SLOW_MS = 1;
// Sending a change to a thread costs 8 to 14 µs of CPU time, so a commit here may take that much longer.
const SLOW_MS_PER_CHANGE = 0.014;
const STALLED_MS = 16;
// The weight of the newest commit in the moving average.
const WEIGHT = 1 / 16;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

/**
 * Decides from recent commits whether the disk is fast enough to commit on the calling thread: most commits must take
 * at most about a millisecond. After a stall, the disk counts as slow for a while. This pause doubles when the next
 * stall follows soon, so a disk that stalls repeatedly rarely blocks the calling thread.
 */
export class DiskSpeed {
  #slowShare = 1;
  #pauseMs = FIRST_PAUSE_MS;
  #fastFrom = -Infinity;

  isFast(): boolean {
    return this.#slowShare < 1 / 2 && performance.now() >= this.#fastFrom;
  }

  /** Records a commit. @param syncMs how long the disk took for `changeCount` changes */
  record(syncMs: number, changeCount: number): void {
    const isSlow = syncMs >= SLOW_MS + SLOW_MS_PER_CHANGE * changeCount;
    this.#slowShare += (Number(isSlow) - this.#slowShare) * WEIGHT;
    if (syncMs >= STALLED_MS) this.pause();
  }

  /** Treats the disk as slow for a while. */
  pause(): void {
    const now = performance.now();
    const isSoon = now - this.#fastFrom < 10 * this.#pauseMs;
    this.#pauseMs = isSoon ? Math.min(2 * this.#pauseMs, LAST_PAUSE_MS) : FIRST_PAUSE_MS;
    this.#fastFrom = now + this.#pauseMs;
    this.#slowShare = 1;
  }
}
