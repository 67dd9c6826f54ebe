import type { Logger } from 'pino';

/**
 * Logs when the database stops working and when it works again. Failures are logged only when nothing has worked for a
 * moment, since one of several connections may fail while the others go on.
 */
export type Health = {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
};

const MOMENT_MS = 1_000;

/** @param use for the log */
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
      if (failedAt !== undefined || performance.now() - workedAt < MOMENT_MS) return;
      failedAt = performance.now();
      log.error({ err: error }, `the database cannot be ${use}`);
    },
  };
}
