import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '@contract-first/database';

/**
 * Repeats a step, with a pause before each run. Logs a failed step, and repeats it after the next pause.
 *
 * @returns a function that stops the repetition and waits for the running step
 */
export function repeat(
  step: () => Promise<unknown>,
  pauseMs: number,
  log: DatabaseOptions['log'],
): () => Promise<void> {
  const stopping = new AbortController();
  const running = run(stopping.signal);
  return async () => {
    stopping.abort();
    await running;
  };

  async function run(signal: AbortSignal): Promise<void> {
    // The promise of an aborted pause rejects.
    while (await sleep(pauseMs, true, { signal }).catch(() => false))
      await step().catch((error: unknown) => {
        log.error({ err: error }, 'a background step failed');
      });
  }
}
