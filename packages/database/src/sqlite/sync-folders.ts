import { closeSync, fsyncSync, openSync, realpathSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseUnavailable } from '../database.ts';

/**
 * Syncs the folder of a file, and the folders above it on the same file system, so that a power loss takes away neither
 * the entry of the file nor a folder on the way to it. SQLite ignores a failed sync of the folder, and syncs none above.
 *
 * All folders above are synced, not only those that are new to this process: another one may have made them and have
 * failed, or not have come, to sync them.
 *
 * @throws {DatabaseUnavailable} when one of them cannot be synced
 */
export function syncFolders(path: string): void {
  if (platform() === 'win32') return; // Windows syncs no folders; NTFS keeps a journal of their entries.
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
    const { code } = error as NodeJS.ErrnoException; // The file system throws no other errors.
    if (code === 'EINVAL') return; // This file system has no sync of folders, as PostgreSQL takes it, too.
    if (code === 'EACCES' && !isInnermost) return; // Such as /home: it was readable to the process that created a folder in it.
    throw new DatabaseUnavailable(
      `the folder ${folder} cannot be synced (${String(code)}), so a power loss could remove the database: ` +
        'is its disk sound, and can this user read it?',
      { cause: error },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
