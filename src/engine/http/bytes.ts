import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** How much of a body may be read. */
export type ReadLimits = {
  /** The size of one body. */
  readonly limitBytes: number;
  /** Reserves memory for a body of so many bytes; throws when there is none left. */
  readonly reserve: (bytes: number) => void;
};

const NO_BYTES = Buffer.alloc(0);
const FIRST_CAPACITY_BYTES = 4_096;
// Smaller bodies need no reservation: their number is bounded by that of the connections.
const UNRESERVED_BYTES = 16_384;

/**
 * Reads the bytes of a request body, whatever its Content-Length says.
 *
 * @throws {Failure} 400 when the body ends early, 413 when it is larger than the limit; the rest of it stays unread
 * @throws what `reserve` throws
 */
export async function readBytes(req: IncomingMessage, limits: ReadLimits): Promise<Buffer> {
  if (req.destroyed || !hasArrived(req)) return collectBytes(req, limits);
  const bytes = (req.read() ?? NO_BYTES) as Buffer; // No encoding is set, so it is a buffer.
  if (bytes.length > limits.limitBytes) throw bodyTooLarge(limits.limitBytes);
  return bytes;
}

/** Most bodies come together with their headers. Node sets `complete` a moment after the last byte. */
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
    // The client has gone away.
  }
}

/** Reads a body without holding the event loop: a client may send each byte as a chunk of its own. */
async function* readChunks(req: IncomingMessage): AsyncGenerator<Buffer, void> {
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    yield chunk as Buffer; // No encoding is set.
    await setImmediate();
  }
}

/** The failure of a body that is larger than the limit. */
export function bodyTooLarge(limitBytes: number): Failure {
  return new Failure(413, `the request body must not be larger than ${String(limitBytes)} bytes`);
}
