import type { IncomingMessage } from 'node:http';
import { Failure } from './failure.ts';

const NO_BYTES = Buffer.alloc(0);
const FIRST_CAPACITY_BYTES = 4_096;

/**
 * Reads the bytes of a request body, whatever the client says of their number. They take at most twice their own room,
 * however small the pieces are that they come in.
 *
 * @throws {Failure} 400 when the body ends early, 413 when it is larger than the limit; the rest of it stays unread
 */
export async function readBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (req.destroyed || !hasArrived(req)) return collectBytes(req, limitBytes);
  const bytes = (req.read() ?? NO_BYTES) as Buffer; // As nobody has set an encoding.
  if (bytes.length > limitBytes) throw tooLarge(limitBytes);
  return bytes;
}

/** Most bodies come together with their headers. Node tells that a request is complete a moment after its last byte. */
function hasArrived({ complete, headers, readableLength }: IncomingMessage): boolean {
  return complete || String(readableLength) === headers['content-length'];
}

function collectBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.allocUnsafe(Math.min(FIRST_CAPACITY_BYTES, limitBytes));
    let length = 0;
    const take = (piece: Buffer): void => {
      const needed = length + piece.length;
      if (needed > limitBytes) {
        stop();
        reject(tooLarge(limitBytes));
        return;
      }
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(limitBytes, Math.max(needed, bytes.length * 2)));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      length += piece.copy(bytes, length);
    };
    const finish = (): void => {
      stop();
      resolve(bytes.subarray(0, length));
    };
    const fail = (): void => {
      stop();
      reject(new Failure(400, 'the request body ended early'));
    };
    const stop = (): void => {
      req.off('data', take).off('end', finish).off('close', fail).pause();
    };
    if (req.destroyed) fail();
    else req.on('data', take).once('end', finish).once('close', fail);
  });
}

/** The failure of a body that is larger than the limit. */
export function tooLarge(limitBytes: number): Failure {
  return new Failure(413, `the request body must not be larger than ${String(limitBytes)} bytes`);
}
