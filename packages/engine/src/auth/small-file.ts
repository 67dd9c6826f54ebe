import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The path does not name a regular file, or the file is too large. */
export class UnusableFile extends Error {}

// The size limit of a Kubernetes Secret.
const LIMIT_BYTES = 1_048_576;

/**
 * Reads a regular file. Never blocks on a pipe or a device.
 *
 * @throws {UnusableFile} when it is not a regular file, or too large
 */
export async function readSmallFile(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe waits for its writer. On Windows, the flag is undefined and has no effect.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile())
      throw new UnusableFile('the path must name a regular file, not a directory, pipe or device');
    const chunks = file.createReadStream({ end: LIMIT_BYTES, autoClose: false }); // The end is inclusive.
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(chunks));
    if (bytes.length > LIMIT_BYTES)
      throw new UnusableFile(`the file must not be larger than ${String(LIMIT_BYTES)} bytes`);
    return bytes;
  } finally {
    await file.close();
  }
}
