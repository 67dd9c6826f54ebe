import type { Logger } from 'pino';

/** Whether the database answers. What is logged is the change only: a database may be gone for hours. */
export type Health = {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
};

export function createHealth(log: Logger): Health {
  let failedAt: number | undefined;
  return {
    worked() {
      if (failedAt === undefined) return;
      log.info({ durationMs: Math.round(performance.now() - failedAt) }, 'the database can be used again');
      failedAt = undefined;
    },
    failed(error) {
      if (failedAt !== undefined) return;
      failedAt = performance.now();
      log.error({ err: error }, 'the database cannot be used');
    },
  };
}
