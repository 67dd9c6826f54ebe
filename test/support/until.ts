import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the value is the expected one. */
export async function until<Answer>(ask: () => Answer | Promise<Answer>, wanted: Answer): Promise<void> {
  const deadline = performance.now() + 10_000;
  let answer = await ask();
  while (answer !== wanted && performance.now() < deadline) {
    await sleep(50);
    answer = await ask();
  }
  expect(answer).toBe(wanted);
}
