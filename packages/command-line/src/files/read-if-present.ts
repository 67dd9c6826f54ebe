import { existsSync, readFileSync } from 'node:fs';

/**
 * Reads a text file.
 *
 * @returns `undefined` if the file does not exist
 * @throws if the file cannot be read
 */
export function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
