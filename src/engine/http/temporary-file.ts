import { randomInt, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The temporary folder cannot be written to, or is full. */
export class TemporaryFolderUnavailable extends Error {}

/** A file in the temporary folder that only this process can read. */
export type TemporaryFile = {
  /** Writes bytes to its end. @throws {TemporaryFolderUnavailable} */
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Returns a Blob that reads the file when its content is needed. @throws {TemporaryFolderUnavailable} */
  readonly toBlob: () => Promise<Blob>;
  /** Removes the file. Its Blobs can no longer be read. */
  readonly remove: () => Promise<void>;
};

/**
 * Creates a temporary file. On Linux it has no name, so it disappears with the process, however that ends.
 *
 * @throws {TemporaryFolderUnavailable} when it cannot be created
 */
export async function createTemporaryFile(): Promise<TemporaryFile> {
  const name = join(tmpdir(), `upload-${randomUUID()}`);
  const file = await explain(open(name, 'wx+', 0o600));
  const isNameless = platform() === 'linux';
  if (isNameless) await explain(rm(name));
  return {
    append: (bytes) => explain(file.appendFile(bytes)),
    async toBlob() {
      // Node reads a file for a Blob only while its size and the nanoseconds of its time are unchanged. A random time
      // prevents that a Blob kept too long reads the file of a later upload, which may have the same descriptor.
      await explain(file.utimes(0, (randomInt(1_000_000_000) + 0.5) / 1_000_000_000));
      return explain(openAsBlob(isNameless ? `/proc/self/fd/${String(file.fd)}` : name));
    },
    async remove() {
      // A cancelled stream keeps the file open until the next garbage collection.
      await file.truncate().finally(() => file.close());
      if (!isNameless) await rm(name, { force: true });
    },
  };
}

/** Converts errors of the file system to one line for the log. */
async function explain<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    const reason = (error as Error).message; // The file system throws nothing else.
    throw new TemporaryFolderUnavailable(`a request body cannot be stored in ${tmpdir()}: ${reason}`);
  }
}
