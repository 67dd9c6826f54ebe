import { realpathSync, statSync } from 'node:fs';
import { DatabaseUnavailable } from '../database.ts';
import { throttle } from './throttle.ts';

/**
 * Remembers the files of an open database. A deleted database or log can still be written, but the data would be
 * unreachable.
 *
 * @returns a function that throws `DatabaseUnavailable` when the files were replaced or deleted; it checks every 10 ms
 */
export function rememberFiles(path: string): () => void {
  const paths = [path, `${realpathSync(path)}-wal`];
  const remembered = identify(paths);
  // On Linux, a write after a stat of the file also syncs its timestamps, which makes the commit take 50% longer.
  return throttle(() => {
    if (identify(paths) === remembered) return;
    const problem = 'or its -wal beside it, was moved or deleted while it was in use';
    throw new DatabaseUnavailable(`the database ${path}, ${problem}`);
  });
}

function identify(paths: readonly string[]): string {
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats.map((file) => `${String(file?.dev)}:${String(file?.ino)}`).join();
}
