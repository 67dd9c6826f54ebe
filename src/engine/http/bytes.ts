import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** Limits for reading a body. */
export type ReadLimits = {
  /** The maximum size of the body. */
  readonly limitBytes: number;
  /** Reserves memory for a body of the given size; throws when too little is left. */
  readonly reserve: (bytes: number) => void;
};

const NO_BYTES = Buffer.alloc(0);
const FIRST_CAPACITY_BYTES = 4_096;
// Smaller bodies need no reservation: the number of connections bounds their memory.
const UNRESERVED_BYTES = 16_384;

/**
 * Reads the bytes of a request body, without trusting its Content-Length.
 *
 * @throws {Failure} 400 when the body ends early, 413 when it is larger than the limit; the rest stays unread
 * @throws the error of `reserve`
 */
export async function readBytes(req: IncomingMessage, limits: ReadLimits): Promise<Buffer> {
  if (req.destroyed || !hasArrived(req)) return collectBytes(req, limits);
  const bytes = (req.read() ?? NO_BYTES) as Buffer; // Streams without an encoding return buffers.
  if (bytes.length > limits.limitBytes) throw bodyTooLarge(limits.limitBytes);
  return bytes;
}

/** Whether the whole body is buffered, as with most requests. Node sets `complete` some time after the last byte. */
function hasArrived({ complete, headers, readableLength }: IncomingMessage): boolean {
  return complete || String(readableLength) === headers['content-length'];
}

async function collectBytes(req: IncomingMessage, { limitBytes, reserve }: ReadLimits): Promise<Buffer> {
  const allocate = (capacity: number): Buffer => {
    if (capacity > UNRESERVED_BYTES) reserve(capacity);
    return Buffer.allocUnsafe(capacity);
  };
  let bytes = allocate(Math.min(Number(req.headers['content-length'] ?? FIRST_CAPACITY_BYTES), limitBytes));
  let length = 0;
  try {
    for await (const chunk of readChunks(req)) {
      const needed = length + chunk.length;
      if (needed > limitBytes) throw bodyTooLarge(limitBytes);
      if (needed > bytes.length) {
        const larger = allocate(Math.min(limitBytes, Math.max(needed, bytes.length * 2)));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      length += chunk.copy(bytes, length);
    }
  } catch (error) {
    throw req.destroyed ? new Failure(400, 'the request body ended early') : error;
  }
  return bytes.subarray(0, length);
}

/** Reads the rest of a request and discards it. Never rejects. */
export async function discard(req: IncomingMessage): Promise<void> {
  const chunks = readChunks(req);
  try {
    while ((await chunks.next()).done !== true);
  } catch {
    // The client has disconnected.
  }
}

/** Reads the chunks of a body. Yields to the event loop after each, since a client may send single-byte chunks. */
async function* readChunks(req: IncomingMessage): AsyncGenerator<Buffer, void> {
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    yield chunk as Buffer; // Streams without an encoding yield buffers.
    await setImmediate();
  }
}

/** Returns the 413 for a body larger than the limit. */
export function bodyTooLarge(limitBytes: number): Failure {
  return new Failure(413, `the request body must not be larger than ${String(limitBytes)} bytes`);
}
