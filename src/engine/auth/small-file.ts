import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** There is something at the path, but not a small file. */
export class NotUsable extends Error {}

// As much as a secret of Kubernetes has.
const LIMIT_BYTES = 1_048_576;

/**
 * Reads a regular file, never waiting for another process as a pipe or a device would.
 *
 * @throws {NotUsable} when it is not a regular file, or too large
 */
export async function readSmallFile(path: string): Promise<Buffer> {
  // Opening a pipe would wait for its writer. On Windows, which has no such pipes, O_NONBLOCK is undefined, and no bit.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile())
      throw new NotUsable('the path must name a regular file, not a directory, pipe or device');
    const chunks = file.createReadStream({ end: LIMIT_BYTES, autoClose: false }); // The end is inclusive.
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(chunks));
    if (bytes.length > LIMIT_BYTES)
      throw new NotUsable(`the file must not be larger than ${String(LIMIT_BYTES)} bytes`);
    return bytes;
  } finally {
    await file.close();
  }
}
