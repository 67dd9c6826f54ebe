import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists the files in a folder and in all nested folders, by their paths relative to the folder.
 *
 * Reads one folder at a time: entries of a recursive `readdirSync` have no `parentPath` in an archive of Yarn.
 */
export function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? listFiles(join(folder, entry.name)).map((file) => join(entry.name, file))
        : entry.isFile()
          ? [entry.name]
          : [],
    )
    .sort();
}
