import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable } from '../database.ts';

/** A copy that is not complete yet, in a folder of its own. */
export type PartialCopy = {
  /** Where to write the copy. */
  readonly path: string;
  /** Removes the folder with everything in it. */
  readonly remove: () => void;
};

const SUFFIX = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial$/;
const LOCK = 'lock';

/**
 * Creates a folder for a copy, beside the name that the copy is to have, and locks it until it is removed. The lock is
 * SQLite's: it ends with the process, however that ends, and is seen by every container on the same disk, as process ids
 * are not.
 *
 * @throws {DatabaseUnavailable} when another process took the folder for one that was left behind, before it was locked
 */
export function createPartialCopy(to: string): PartialCopy {
  const folder = `${to}.${randomUUID()}.partial`;
  mkdirSync(folder);
  const unlock = lock(folder);
  if (!existsSync(join(folder, LOCK))) {
    unlock();
    throw new DatabaseUnavailable(`another copy to ${to} was begun at the same moment; try again`);
  }
  return {
    path: join(folder, 'copy.db'),
    remove() {
      unlock();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the partial copies of processes that were killed, and none of a process that runs. */
export function removeAbandoned(to: string): void {
  const name = basename(to);
  const folders = readdirSync(dirname(to), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(name) && SUFFIX.test(entry.name.slice(name.length)))
    .map((entry) => join(dirname(to), entry.name));
  for (const folder of folders) {
    try {
      const unlock = lock(folder);
      try {
        rmSync(folder, { recursive: true, force: true });
      } finally {
        unlock();
      }
    } catch {
      // Another process holds the lock, or another user owns it. Neither prevents this copy.
    }
  }
}

function lock(folder: string): () => void {
  const database = new DatabaseSync(join(folder, LOCK), { timeout: 0 });
  const unlock = (): void => {
    database.close();
  };
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    unlock();
    throw error;
  }
  return unlock;
}
