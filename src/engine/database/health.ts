import type { Logger } from 'pino';

/**
 * Whether the database answers. What is logged is the change only, for a database may be gone for hours; and only once
 * nothing has worked for a moment, as one of several connections may fail while the others go on.
 */
export type Health = {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
};

const MOMENT_MS = 1_000;

export function createHealth(log: Logger): Health {
  let workedAt = -Infinity;
  let failedAt: number | undefined;
  return {
    worked() {
      workedAt = performance.now();
      if (failedAt === undefined) return;
      log.info({ durationMs: Math.round(performance.now() - failedAt) }, 'the database can be used again');
      failedAt = undefined;
    },
    failed(error) {
      if (failedAt !== undefined || performance.now() - workedAt < MOMENT_MS) return;
      failedAt = performance.now();
      log.error({ err: error }, 'the database cannot be used');
    },
  };
}
