import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the value is the expected one. */
export async function until<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  const deadline = performance.now() + 10_000;
  let value = await read();
  while (value !== expected && performance.now() < deadline) {
    await sleep(50);
    value = await read();
  }
  expect(value).toBe(expected);
}
