import { nextTick } from 'node:process';

// Delays a request by one or two slices.
const SLICE_MS = 2;
// A request needs several turns of the event loop, which accepts one connection per turn. Empty turns take
// microseconds.
const TURNS_BETWEEN = 32;
const MAX_BETWEEN_MS = 8;

/**
 * Divides the event loop between CPU-bound tasks and requests. All tasks share one time slice; before the next slice,
 * the event loop serves requests for several turns.
 */
export class TimeSlices {
  /** Waiting tasks in FIFO order. */
  readonly #waiting: (() => void)[] = [];
  /** The end of the current slice; `undefined` before it has begun. */
  #endsAt: number | undefined;
  #isReleasing = false;
  #turnsSince = 0;

  /**
   * Waits for time in a slice. Tasks call it before each step, which should take less than a millisecond.
   *
   * @param letsOthersFirst whether waiting tasks have priority
   * @returns `undefined` if the task may continue at once
   */
  wait(letsOthersFirst: boolean): Promise<void> | undefined {
    const isOver = performance.now() >= (this.#endsAt ??= this.#begin());
    if (!isOver && !(letsOthersFirst && this.#waiting.length > 0)) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!isOver && !this.#isReleasing) this.#releaseNext();
    });
  }

  #begin(): number {
    this.#turnsSince = 0;
    setImmediate(this.#endTurn);
    return performance.now() + SLICE_MS;
  }

  readonly #endTurn = (): void => {
    this.#turnsSince += 1;
    if (this.#waiting.length === 0) {
      this.#endsAt = undefined;
    } else if (this.#turnsSince < TURNS_BETWEEN && performance.now() < (this.#endsAt ?? 0) + MAX_BETWEEN_MS) {
      setImmediate(this.#endTurn);
    } else {
      this.#endsAt = this.#begin();
      this.#releaseNext();
    }
  };

  /** Resumes waiting tasks one by one until the slice ends. */
  readonly #releaseNext = (): void => {
    const release = performance.now() < (this.#endsAt ?? 0) ? this.#waiting.shift() : undefined;
    this.#isReleasing = release !== undefined;
    if (release === undefined) return;
    release();
    // Runs after the microtasks of the task, when the task waits again.
    queueMicrotask(() => {
      nextTick(this.#releaseNext);
    });
  };
}
