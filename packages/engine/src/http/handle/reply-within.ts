import { unavailableFailure } from '../failure.ts';
import type { HandlerRequest } from './handler-request.ts';

/**
 * Waits for the reply of a handler. At the time limit, aborts the signal of its request and ignores the reply.
 *
 * @throws {Failure} 503 at the time limit
 */
export async function replyWithin<Reply>(
  limitMs: number,
  reply: Promise<Reply>,
  request: HandlerRequest,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = 'the time limit of the operation was reached';
      request.log.warn({ timeLimitMs: limitMs }, message);
      reject(unavailableFailure());
      request.cancel(new Error(message));
    }, limitMs);
  });
  try {
    return await Promise.race([reply, limit]);
  } finally {
    clearTimeout(timer);
  }
}
