import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNoneEnded } from './children.ts';

/** Polls until the value is the expected one; fails at once when a process of the test has ended unexpectedly. */
export async function until<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  const deadline = performance.now() + 10_000;
  let value = await read();
  while (value !== expected && performance.now() < deadline) {
    assertNoneEnded();
    await sleep(20);
    value = await read();
  }
  expect(value).toBe(expected);
}
