import type { HandlerRequest } from './handler-request.ts';

/** A handler has not replied within the time limit of its operation. */
export class TimeLimitReached extends Error {}

/**
 * Runs a handler. When it has not replied in time, aborts the signal of its request and ignores its result.
 *
 * @throws {TimeLimitReached} when it has not replied in time
 */
export async function replyWithin<Reply>(
  limitMs: number,
  run: () => Promise<Reply>,
  request: HandlerRequest,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new TimeLimitReached('the time limit of the operation was reached');
      reject(error);
      request.cancel(error);
    }, limitMs);
  });
  try {
    return await Promise.race([run(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
