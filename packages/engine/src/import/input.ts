import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

// A chunk holds several batches, so most batches are full.
const CHUNK_BYTES = 262_144;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/**
 * Opens an input for reading.
 *
 * @param path `-` for standard input
 * @returns the input with its size, `undefined` when that is unknown, or one line that says why it cannot be read
 */
export async function openInput(
  path: string,
): Promise<{ readonly stream: Readable; readonly totalBytes: number | undefined } | { readonly problem: string }> {
  if (path === '-') return { stream: process.stdin, totalBytes: undefined };
  try {
    const file = await open(path);
    const { size } = await file.stat();
    const stream = file.createReadStream({ highWaterMark: CHUNK_BYTES });
    // A directory can be opened; only reading it fails.
    await once(stream, 'readable');
    return { stream, totalBytes: size === 0 ? undefined : size };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { problem: `cannot read ${path}: ${REASONS[code] ?? code}` };
  }
}
