import { setTimeout as sleep } from 'node:timers/promises';
import { assertNoneEnded } from './children.ts';

/**
 * Polls until the value equals the expected value, up to `timeoutMs`. Fails at once if a process has ended
 * unexpectedly.
 */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  expected: Value,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let value = await read();
  while (value !== expected && performance.now() < deadline) {
    assertNoneEnded();
    await sleep(20);
    value = await read();
  }
  expect(value).toBe(expected);
}
