const SLOW_MS = 1;
// Handing a change to a thread costs 8 to 14 µs of CPU time: the disk may take as much longer for it.
const SLOW_MS_PER_CHANGE = 0.014;
const STALLED_MS = 16;
// The share of the newest commit in the average.
const WEIGHT = 1 / 16;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 2_000;

/**
 * Judges by its commits whether the disk is fast enough to wait for: most of the recent ones took about a millisecond at
 * most. After one that stalled it is not for a while, which doubles when the next follows soon, so that a disk that
 * stalls now and then is waited for rarely.
 */
export class DiskSpeed {
  #slowShare = 1;
  #pauseMs = FIRST_PAUSE_MS;
  #fastFrom = -Infinity;

  isFast(): boolean {
    return this.#slowShare < 1 / 2 && performance.now() >= this.#fastFrom;
  }

  /** @param syncMs how long the disk took for a commit of `changeCount` changes */
  record(syncMs: number, changeCount: number): void {
    const isSlow = syncMs >= SLOW_MS + SLOW_MS_PER_CHANGE * changeCount;
    this.#slowShare += (Number(isSlow) - this.#slowShare) * WEIGHT;
    if (syncMs >= STALLED_MS) this.pause();
  }

  /** Takes the disk for slow for a while. */
  pause(): void {
    const now = performance.now();
    const isSoon = now - this.#fastFrom < 10 * this.#pauseMs;
    this.#pauseMs = isSoon ? Math.min(2 * this.#pauseMs, LAST_PAUSE_MS) : FIRST_PAUSE_MS;
    this.#fastFrom = now + this.#pauseMs;
    this.#slowShare = 1;
  }
}
