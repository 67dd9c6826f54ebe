import { mock } from 'node:test';
import { cleanUp } from '@contract-first/testing/cleanup.ts';

/** Replaces the clock until the test ends. Returns a function that advances the clock. */
export function replaceClock(): (milliseconds: number) => void {
  let nowMs = 0;
  const clock = mock.method(performance, 'now', () => nowMs);
  cleanUp(() => {
    clock.mock.restore();
  });
  return (milliseconds) => void (nowMs += milliseconds);
}
