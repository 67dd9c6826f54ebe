import { Readable, type Transform } from 'node:stream';

/** A body that is sent while it is produced. */
export type BodyStream = {
  /** Returns the next chunk of the body. */
  readonly next: () => Promise<IteratorResult<string | Uint8Array, unknown>>;
  /** Cancels the source, even while it is waiting. */
  readonly cancel: () => void;
  /** The size of the body, if known. */
  readonly sizeBytes?: number;
  /** Creates the stream that compresses the body. */
  readonly createEncoder?: () => Transform;
};

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
