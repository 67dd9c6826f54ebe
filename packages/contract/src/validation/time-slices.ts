import { nextTick } from 'node:process';

// A request waits for one slice or two.
const SLICE_MS = 2;
// A request takes some turns of the event loop, which accepts one connection in each. An empty turn takes microseconds.
const TURNS_BETWEEN = 32;
const MAX_BETWEEN_MS = 8;

/**
 * Shares the event loop among tasks that may never wait for anything outside the process. All of them together take one
 * time slice, and requests are served in some turns of the event loop before the next one.
 */
export class TimeSlices {
  /** The longest waiting first. */
  readonly #waiting: (() => void)[] = [];
  /** When the slice of this turn ends; `undefined` before it has begun. */
  #endsAt: number | undefined;
  #isReleasing = false;
  #turnsSince = 0;

  /**
   * Waits for a part of a slice. Tasks call it before each step, which should take less than a millisecond.
   *
   * @param letsOthersFirst whether the task has done its part, so that waiting ones precede it
   * @returns `undefined` if the task need not wait
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

  /** Lets waiting tasks continue, one after another, while there is time. */
  readonly #releaseNext = (): void => {
    const release = performance.now() < (this.#endsAt ?? 0) ? this.#waiting.shift() : undefined;
    this.#isReleasing = release !== undefined;
    if (release === undefined) return;
    release();
    // After the microtasks, the task waits: for a slice, or for something outside the process.
    queueMicrotask(() => {
      nextTick(this.#releaseNext);
    });
  };
}
