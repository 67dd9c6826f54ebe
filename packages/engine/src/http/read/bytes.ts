import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { checkBodySize } from './body-limit.ts';

/** Limits for reading a body. */
export type ReadLimits = {
  /** The maximum size of the body. */
  readonly limitBytes: number;
  /** Reserves memory for bodies; a negative number releases it. Throws when not enough is left. */
  reserve(bytes: number): void;
};

const NO_BYTES = Buffer.alloc(0);
const FIRST_CAPACITY_BYTES = 4_096;
// Smaller bodies need no reservation: the number of connections bounds their memory.
const UNRESERVED_BYTES = 16_384;

/** A growing buffer that reserves its memory. */
export class ByteBuffer {
  readonly #limits: ReadLimits;
  #buffer = NO_BYTES;
  #length = 0;
  #reservedBytes = 0;

  /** @throws the error of `reserve` */
  constructor(limits: ReadLimits, expectedBytes = FIRST_CAPACITY_BYTES) {
    this.#limits = limits;
    this.#allocate(expectedBytes);
  }

  get limitBytes(): number {
    return this.#limits.limitBytes;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /**
   * Appends bytes up to the limit.
   *
   * @returns the bytes beyond the limit
   * @throws the error of `reserve`
   */
  append(bytes: Buffer): Buffer {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) this.#allocate(Math.max(needed, this.#buffer.length * 2));
    const copied = bytes.copy(this.#buffer, this.#length);
    this.#length += copied;
    return bytes.subarray(copied);
  }

  /** Removes the bytes, but keeps the memory for reuse. */
  clear(): void {
    this.#length = 0;
  }

  /** Removes the bytes and releases the memory. */
  free(): void {
    this.clear();
    this.#allocate(0);
  }

  #allocate(wantedBytes: number): void {
    const capacity = Math.min(wantedBytes, this.limitBytes);
    const reserved = capacity > UNRESERVED_BYTES ? capacity : 0;
    if (reserved !== this.#reservedBytes) this.#limits.reserve(reserved - this.#reservedBytes);
    this.#reservedBytes = reserved;
    const larger = Buffer.allocUnsafe(capacity);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/**
 * Reads the bytes of a request body without trusting its Content-Length; synchronously if the body has arrived.
 *
 * @throws {Failure} 400 when the body ends early, 413 when it is larger than the limit; the rest stays unread
 * @throws the error of `reserve`
 */
export function readBytes(req: IncomingMessage, limits: ReadLimits): Buffer | Promise<Buffer> {
  if (hasArrived(req)) return readArrived(req, limits.limitBytes);
  return collectBytes(readChunks(req, limits.limitBytes), limits, contentLengthOf(req));
}

/**
 * Collects chunks within the limits.
 *
 * @throws the error of `reserve`, and the errors of the chunks
 */
export async function collectBytes(
  chunks: AsyncIterable<Buffer>,
  limits: ReadLimits,
  expectedBytes?: number,
): Promise<Buffer> {
  const buffer = new ByteBuffer(limits, expectedBytes);
  for await (const chunk of chunks) buffer.append(chunk);
  return buffer.bytes;
}

/**
 * Reads a request body in chunks without trusting its Content-Length. Yields to the event loop after each chunk, since
 * a client may send single-byte chunks.
 *
 * @throws {Failure} 400 when the body ends early, 413 when it is larger than the limit; the rest stays unread
 */
export async function* readChunks(req: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer, void> {
  if (hasArrived(req)) {
    const bytes = readArrived(req, limitBytes);
    if (bytes.length > 0) yield bytes;
    return;
  }
  let length = 0;
  try {
    for await (const chunk of streamChunks(req)) {
      length += chunk.length;
      checkBodySize(length, limitBytes);
      yield chunk;
    }
  } catch (error) {
    throw req.destroyed ? new Failure(400, 'the request body ended early') : error;
  }
}

/** Waits for the first byte of a body without reading it. Returns whether the body has any. */
export async function hasContent(req: IncomingMessage): Promise<boolean> {
  while (!hasArrived(req) && req.readableLength === 0 && !req.destroyed) {
    const { promise: changed, resolve } = Promise.withResolvers<undefined>();
    const events = ['readable', 'end', 'close'];
    for (const event of events) req.once(event, resolve);
    await changed;
    for (const event of events) req.off(event, resolve);
  }
  return req.readableLength > 0 || req.destroyed;
}

/** Whether the whole body is buffered, as in most requests. Node sets `complete` some time after the last byte. */
function hasArrived({ destroyed, complete, headers, readableLength }: IncomingMessage): boolean {
  return !destroyed && (complete || String(readableLength) === headers['content-length']);
}

function readArrived(req: IncomingMessage, limitBytes: number): Buffer {
  const bytes = (req.read() ?? NO_BYTES) as Buffer; // Streams without an encoding return buffers.
  checkBodySize(bytes.length, limitBytes);
  return bytes;
}

/** Returns the Content-Length; `undefined` when the request has none. */
export function contentLengthOf({ headers }: IncomingMessage): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
}

/** Reads the rest of a request and discards it. Never rejects. */
export async function discard(req: IncomingMessage): Promise<void> {
  const chunks = streamChunks(req);
  try {
    while ((await chunks.next()).done !== true);
  } catch {
    // The client has disconnected.
  }
}

async function* streamChunks(req: IncomingMessage): AsyncGenerator<Buffer, void> {
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    yield chunk as Buffer; // Streams without an encoding yield buffers.
    await setImmediate();
  }
}
