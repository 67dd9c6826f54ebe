import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Where lines come from. */
export type Input = {
  readonly stream: Readable;
  /** `undefined` when nobody knows, as for a pipe. */
  readonly totalBytes: number | undefined;
};

// Several batches, so that most of them are full.
const CHUNK_BYTES = 262_144;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
};

/**
 * Opens an input for reading.
 *
 * @param path `-` for standard input
 * @returns the input, or why it cannot be read, in one line
 */
export async function openInput(path: string): Promise<Input | { readonly problem: string }> {
  if (path === '-') return { stream: process.stdin, totalBytes: undefined };
  try {
    const file = await open(path);
    const { size } = await file.stat();
    const stream = file.createReadStream({ highWaterMark: CHUNK_BYTES });
    // A folder can be opened, and only then not be read.
    await once(stream, 'readable');
    return { stream, totalBytes: size === 0 ? undefined : size };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { problem: `cannot read ${path}: ${REASONS[code] ?? code}` };
  }
}
