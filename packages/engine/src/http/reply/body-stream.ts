import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { TimeSlices } from '@contract-first/contract';
import { cutResponse, onDisconnect } from '../accept/disconnect.ts';

/** A body that is sent while it is produced. */
export type BodyStream = {
  /** Returns the next chunk of the body. */
  readonly next: () => Promise<IteratorResult<string | Uint8Array, unknown>>;
  /** Cancels the source, even while it is waiting. */
  readonly cancel: () => void;
  /** The size of the body, if known. */
  readonly sizeBytes?: number;
};

// Combines small chunks into larger writes, which take less time. A chunk waits at most one turn of the event loop.
const CHUNK_LENGTH = 8_192;
// A stream yields to others after this length. Yielding is rare, since data held meanwhile is garbage-collected late.
const TURN_LENGTH = 65_536;

/** Whether a body is a stream. */
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
 * @param encode converts a value of the source to a chunk; throws for an invalid value
 * @param onEnd is called after the last value; throws when the body is too short
 */
export function openStream(
  body: AsyncIterable<unknown>,
  encode: (value: unknown) => string | Uint8Array,
  onEnd: () => void = () => undefined,
): BodyStream {
  // A `Readable` can be destroyed while it waits. A generator cannot; it should observe the signal of the request.
  const source = body instanceof ReadableStream ? Readable.fromWeb(body) : body;
  if (source instanceof Readable) source.on('error', () => undefined); // The iterator throws the same error.
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
      else iterator.return?.().catch(() => undefined); // The response has already ended.
    },
  };
}

/**
 * Waits for the first chunk of a stream, so that an early error can still become an error response.
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

/** Options for sending streams. */
export type StreamSending = {
  /** The time slices that all streams share. */
  readonly slices: TimeSlices;
  /** How long a stream stays open while its client reads nothing. */
  readonly stallTimeoutMs: number;
};

/**
 * Writes a stream as the body of a response whose header has been written. Reads from the source only as fast as the
 * client reads. Cancels the source when the client disconnects or stalls. Closes the connection when the source fails,
 * so that the client detects the incomplete body.
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
  // Middleware such as `compression` emits these events but never calls the callbacks of write() and end(). Its on()
  // returns another stream, so calls are not chained.
  res.on('drain', onDrain);
  res.on('finish', onFinish);
  try {
    return await Promise.race([writeAll(), gone.promise]); // The source may never settle.
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

  /** Flushes at the end of the turn, since the source may pause for long. */
  function scheduleFlush(): void {
    if (isFlushScheduled) return;
    isFlushScheduled = true;
    setImmediate(() => {
      flush();
      isFlushScheduled = false;
      if (!res.destroyed && !res.writableEnded) flushMiddleware(res);
    });
  }

  /** Writes bytes in pieces, so that the progress of a slow client is visible. */
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

  /** Waits until the client has read the written data or has disconnected. Disconnects a stalled client. */
  function untilTaken(isTaken: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let hasSocket = res.socket !== null; // A pipelined response has no socket until earlier responses are sent.
      let { writableLength } = res;
      const timer = setInterval(() => {
        // A reset also frees the kernel's buffers.
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

/** Flushes the buffers of middleware such as `compression`. */
function flushMiddleware(res: ServerResponse & { readonly flush?: () => void }): void {
  res.flush?.();
}
