import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import { onDisconnect } from './disconnect.ts';

/** A body that is sent while it is produced. */
export type BodyStream = {
  /** The chunks of the body, in turn. */
  readonly next: () => Promise<IteratorResult<string | Uint8Array, unknown>>;
  /** Cancels the source, also while it is waiting. */
  readonly cancel: () => void;
  /** The size of the body, if it is known. */
  readonly sizeBytes?: number;
};

// Fewer, larger chunks take less time; a chunk waits no longer than a turn of the event loop.
const CHUNK_LENGTH = 16_384;

/** Whether a body is sent while it is produced. */
export function isBodyStream(body: object | string | undefined): body is BodyStream {
  return typeof body === 'object' && 'next' in body;
}

/** Whether a value can be streamed: an async iterable, a web stream or a `Readable`. */
export function isStreamable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * Opens a source as a body.
 *
 * @param encode converts a value of the source to a chunk, and throws when it must not be sent
 * @param onEnd is called after the last value, and throws when the body must not end here
 */
export function openStream(
  body: AsyncIterable<unknown>,
  encode: (value: unknown) => string | Uint8Array,
  onEnd: () => void = () => undefined,
): BodyStream {
  // A `Readable` can be destroyed while it waits. A generator cannot be interrupted; the signal of its request ends its wait.
  const source = body instanceof ReadableStream ? Readable.fromWeb(body) : body;
  if (source instanceof Readable) source.on('error', () => undefined); // Reading from it throws the error, too.
  const iterator = source[Symbol.asyncIterator]();
  return {
    async next() {
      const result = await iterator.next();
      if (result.done !== true) return { done: false, value: encode(result.value) };
      onEnd();
      return { done: true, value: undefined };
    },
    cancel() {
      if (source instanceof Readable) source.destroy();
      else iterator.return?.().catch(() => undefined); // The response has ended.
    },
  };
}

/**
 * Waits for the first chunk of a stream, so that its failure can be a response of its own.
 *
 * @throws the error of the source
 */
export async function awaitFirst(stream: BodyStream): Promise<BodyStream> {
  const first = await stream.next();
  let isTaken = false;
  return {
    ...stream,
    next() {
      if (isTaken) return stream.next();
      isTaken = true;
      return Promise.resolve(first);
    },
  };
}

/**
 * Writes a stream as the body of a response whose header has been written. Takes no more from the source than the client
 * takes. When the client leaves, the source is cancelled; when the source fails, the connection is closed, so that the
 * client sees that the body is incomplete.
 *
 * @returns whether the body was sent completely
 * @throws the error of the source
 */
export async function writeStream(req: IncomingMessage, res: ServerResponse, stream: BodyStream): Promise<boolean> {
  let text = '';
  let turnBytes = 0;
  let wake: (() => void) | undefined;
  const wakeUp = (): void => wake?.();
  res.on('drain', wakeUp);
  const endWatch = onDisconnect(req, res, () => {
    stream.cancel();
    res.destroy();
    wakeUp();
  });
  try {
    for (let result = await nextOrGone(); result !== undefined; result = await nextOrGone()) {
      if (result.done === true) {
        flush();
        res.end();
        return true;
      }
      const { value } = result;
      if (typeof value === 'string') {
        if (text === '') setImmediate(flush);
        text += value;
      } else {
        flush();
        write(value);
      }
      if (text.length >= CHUNK_LENGTH) flush();
      if (res.writableNeedDrain) await untilDrained();
      // A source that never waits would leave no time for other requests.
      else if (turnBytes >= CHUNK_LENGTH) await nextTurn();
    }
    return false;
  } catch (error) {
    stream.cancel();
    res.destroy();
    throw error;
  } finally {
    endWatch();
    res.off('drain', wakeUp);
  }

  function flush(): void {
    if (text !== '') write(text);
    text = '';
  }

  function write(chunk: string | Uint8Array): void {
    turnBytes += chunk.length;
    if (!res.destroyed) res.write(chunk);
  }

  /** Waits for the next chunk; returns `undefined` when the client has disconnected. */
  function nextOrGone(): Promise<Awaited<ReturnType<BodyStream['next']>> | undefined> {
    return new Promise((resolve, reject) => {
      wake = () => {
        if (res.destroyed) resolve(undefined);
      };
      if (res.destroyed) resolve(undefined);
      else stream.next().then(resolve, reject);
    });
  }

  function untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  async function nextTurn(): Promise<void> {
    await setImmediatePromise();
    turnBytes = 0;
  }
}
