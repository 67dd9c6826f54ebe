import { closeSync, fsyncSync, openSync, realpathSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseUnavailable } from '../database.ts';

/**
 * Syncs the folder of a file and its parent folders on the same file system, so that a power loss removes neither the
 * file's entry nor a folder on its path. SQLite ignores a failed sync of the folder, and does not sync parent folders.
 *
 * All parent folders are synced, even if this process did not create them: another process may have created them and
 * failed to sync them, or not have synced them yet.
 *
 * @throws {DatabaseUnavailable} when a folder cannot be synced
 */
export function syncFolders(path: string): void {
  if (platform() === 'win32') return; // Windows cannot sync folders; NTFS journals their entries.
  const innermost = dirname(realpathSync(path));
  const { dev } = statSync(innermost);
  let folder = innermost;
  for (;;) {
    syncFolder(folder, folder === innermost);
    const parent = dirname(folder);
    if (parent === folder || statSync(parent, { throwIfNoEntry: false })?.dev !== dev) return;
    folder = parent;
  }
}

function syncFolder(folder: string, isInnermost: boolean): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EINVAL') return; // The file system cannot sync folders; PostgreSQL ignores this error, too.
    if (code === 'EACCES' && !isInnermost) return; // Such as /home, which another process created and synced.
    throw new DatabaseUnavailable(
      `the folder ${folder} cannot be synced (${String(code)}), so a power loss could remove the database: ` +
        'is its disk sound, and can this user read it?',
      { cause: error },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
