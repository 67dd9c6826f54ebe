import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyStream } from './body-stream.ts';

/** A comment, which clients of server-sent events ignore. */
const COMMENT = ':\n\n';
const EVENT_END = /(?:\n|\r\n?)(?:\n|\r\n?)$/;

/**
 * Adds a comment to a stream of events whenever it is quiet, so that proxies do not close its connection. Adds none
 * within an event.
 *
 * @param quietMs the time without an event; 0 adds no comments
 */
export function withComments(stream: BodyStream, quietMs: number): BodyStream {
  if (quietMs === 0) return stream;
  let pending: ReturnType<BodyStream['next']> | undefined;
  let isBetweenEvents = true;
  return {
    ...stream,
    async next() {
      pending ??= stream.next();
      const result = isBetweenEvents ? await firstOf(pending, quietMs) : await pending;
      if (result === undefined) return { done: false, value: COMMENT };
      pending = undefined;
      if (result.done !== true) isBetweenEvents = EVENT_END.test(Buffer.from(result.value).subarray(-4).toString());
      return result;
    },
  };
}

/** Returns the value of a promise, or `undefined` after a time. */
async function firstOf<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  const end = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    end.abort();
  }
}
