import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { TimeSlices } from '@contract-first/contract';
import { cutResponse, onDisconnect } from '../accept/disconnect.ts';

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
const CHUNK_LENGTH = 8_192;
// A stream lets others go first after this length. What it holds while it waits is collected late, so it waits seldom.
const TURN_LENGTH = 65_536;

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

/** How streams are sent. */
export type StreamSending = {
  /** Shared by all streams. */
  readonly slices: TimeSlices;
  /** How long a stream stays open while its client takes nothing of it. */
  readonly stallTimeoutMs: number;
};

/**
 * Writes a stream as the body of a response whose header has been written. Takes no more from the source than the client
 * takes. When the client leaves or stalls, the source is cancelled; when the source fails, the connection is closed, so
 * that the client sees that the body is incomplete.
 *
 * @returns whether the body was sent completely
 * @throws the error of the source
 */
export async function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  stream: BodyStream,
  { slices, stallTimeoutMs }: StreamSending,
): Promise<boolean> {
  let text = '';
  let isBlocked = false;
  let isFlushScheduled = false;
  let wake: (() => void) | undefined;
  const gone = Promise.withResolvers<false>();
  const endWatch = onDisconnect(req, res, () => {
    stream.cancel();
    cutResponse(res);
    wake?.();
    gone.resolve(false);
  });
  // Middleware such as `compression` passes these events on, but no callback of write() or end(). Its on() returns another
  // stream.
  res.on('drain', onDrain);
  res.on('finish', onFinish);
  try {
    return await Promise.race([writeAll(), gone.promise]); // The source may wait for ever.
  } catch (error) {
    stream.cancel();
    cutResponse(res);
    throw error;
  } finally {
    endWatch();
    res.off('drain', onDrain);
    res.off('finish', onFinish);
  }

  async function writeAll(): Promise<boolean> {
    let turnLength = 0;
    while (!res.destroyed) {
      const result = await stream.next();
      if (result.done === true) {
        res.end(takeText());
        await untilTaken(() => res.writableFinished);
        break;
      }
      const { value } = result;
      if (value.length > TURN_LENGTH) {
        flush();
        await writePieces(typeof value === 'string' ? Buffer.from(value) : value);
      } else if (typeof value === 'string') {
        text += value;
        scheduleFlush();
      } else {
        flush();
        write(value);
      }
      if (text.length >= CHUNK_LENGTH) flush();
      if (isBlocked) await untilTaken(() => !isBlocked);
      turnLength += value.length;
      const isTurnOver = turnLength >= TURN_LENGTH;
      if (isTurnOver) turnLength = 0;
      const turn = slices.wait(isTurnOver);
      if (turn !== undefined) await turn;
    }
    return res.writableFinished;
  }

  function takeText(): string {
    const taken = text;
    text = '';
    return taken;
  }

  function flush(): void {
    if (text !== '') write(takeText());
  }

  function write(chunk: string | Uint8Array): void {
    if (res.destroyed) return;
    if (!res.write(chunk)) isBlocked = true;
    scheduleFlush();
  }

  /** Sends everything at the end of the turn, since the source may wait long. */
  function scheduleFlush(): void {
    if (isFlushScheduled) return;
    isFlushScheduled = true;
    setImmediate(() => {
      flush();
      isFlushScheduled = false;
      if (!res.destroyed && !res.writableEnded) flushMiddleware(res);
    });
  }

  /** Writes bytes in pieces, so that a slow client is seen to take them. */
  async function writePieces(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length && !res.destroyed; start += TURN_LENGTH) {
      write(bytes.subarray(start, start + TURN_LENGTH));
      if (isBlocked) await untilTaken(() => !isBlocked);
      await slices.wait(true);
    }
  }

  function onDrain(): void {
    isBlocked = false;
    wake?.();
  }

  function onFinish(): void {
    wake?.();
  }

  /** Waits until the client has taken what was written, or has disconnected; disconnects one that takes nothing. */
  function untilTaken(isTaken: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let hasSocket = res.socket !== null; // Later responses of a pipeline have no socket yet.
      let { writableLength } = res;
      const timer = setInterval(() => {
        // This frees the buffers of the kernel, too.
        if (hasSocket && res.writableLength === writableLength) res.socket?.resetAndDestroy();
        hasSocket = res.socket !== null;
        ({ writableLength } = res);
      }, stallTimeoutMs);
      wake = () => {
        if (!isTaken() && !res.destroyed) return;
        clearInterval(timer);
        resolve();
      };
      wake();
    });
  }
}

/** Sends the data that middleware such as `compression` holds back. */
function flushMiddleware(res: ServerResponse & { readonly flush?: () => void }): void {
  res.flush?.();
}
