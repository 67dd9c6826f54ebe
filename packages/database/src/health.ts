import type { Logger } from 'pino';

/**
 * Logs when the database becomes unavailable and when it is available again. A failure is logged only if no operation
 * has succeeded for a second, since one of several connections may fail while the others work.
 */
export type Health = {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
};

const RECENT_MS = 1_000;

/**
 * Creates the log of a database's availability.
 *
 * @param use the use of the database, for the messages
 */
export function createHealth(log: Logger, use: 'used' | 'read' | 'used for rate limits' = 'used'): Health {
  let workedAt = -Infinity;
  let failedAt: number | undefined;
  return {
    worked() {
      workedAt = performance.now();
      if (failedAt === undefined) return;
      log.info({ durationMs: Math.round(performance.now() - failedAt) }, `the database can be ${use} again`);
      failedAt = undefined;
    },
    failed(error) {
      if (failedAt !== undefined || performance.now() - workedAt < RECENT_MS) return;
      failedAt = performance.now();
      log.error({ err: error }, `the database cannot be ${use}`);
    },
  };
}
