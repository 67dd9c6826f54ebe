import { realpathSync, statSync } from 'node:fs';
import { DatabaseUnavailable } from '../database.ts';
import { throttle } from './throttle.ts';

/**
 * Remembers the files of an open database. A deleted file can still be written, but the data would be unreachable. So can
 * its log.
 *
 * @returns a function that throws `DatabaseUnavailable` when other files or none are at their paths, 10 ms later at most
 */
export function rememberFiles(path: string): () => void {
  const paths = [path, `${realpathSync(path)}-wal`];
  const remembered = identify(paths);
  // On Linux, a write after a look at the file has to sync its timestamps, which makes a commit take half as long again.
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
