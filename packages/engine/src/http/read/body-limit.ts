import { Failure } from '../failure.ts';

/**
 * Checks the size of a request body: its Content-Length, then the bytes that have arrived.
 *
 * @throws {Failure} 413 when it is larger than the limit; the rest stays unread
 */
export function checkBodySize(bytes: number, limitBytes: number): void {
  if (bytes > limitBytes)
    throw new Failure(413, `the request body must not be larger than ${String(limitBytes)} bytes`);
}
