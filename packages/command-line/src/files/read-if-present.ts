import { existsSync, readFileSync } from 'node:fs';

/**
 * Reads a text file.
 *
 * @returns `undefined` when it does not exist
 * @throws the error of a file that cannot be read
 */
export function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
