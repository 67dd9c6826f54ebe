import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable, type Definition } from '../database.ts';
import { unavailable } from './errors.ts';
import { assertIntegrity, openForReading, scalar, storeSchemaOf, syncFolders } from './open-file.ts';

// Copies all pages in one step, from one snapshot. With smaller steps, SQLite would restart the copy after every
// commit.
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a snapshot of a SQLite database and checks its integrity, while services may write to the database. A copy
 * made by root belongs to the owner of the target folder, so that the service can use it.
 *
 * @param to a path that must not exist; the copy appears at this path when it is complete and synced to disk
 * @param signal cancels the copy and removes its files
 * @returns the number of rows in all tables of the definition
 * @throws {DatabaseUnavailable} when the source is missing or damaged, or the target exists
 */
export async function copySqliteDatabase(
  definition: Definition,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<number> {
  const source = openForReading(from, storeSchemaOf(definition));
  let partial: PartialCopy | undefined;
  try {
    mkdirSync(dirname(to), { recursive: true });
    removeAbandoned(to);
    refuseExisting(to);
    partial = createPartialCopy(to);
    const { path } = partial;
    await backup(source, path, { rate: ALL_PAGES });
    signal.throwIfAborted();
    const rows = check(path, from, definition.tables);
    giveToOwnerOfFolder(path, dirname(to));
    sync(path);
    syncFolders(dirname(path)); // Before publishing, so that a copy whose folder cannot be synced never appears.
    publish(path, to);
    syncFolders(to);
    return rows;
  } catch (error) {
    throw signal.aborted ? error : unavailable(to, error);
  } finally {
    source.close();
    partial?.remove();
  }
}

/** Checks that the target and its journals do not exist. SQLite would apply another database's log to the copy. */
function refuseExisting(path: string): void {
  const names = [path, `${path}-wal`, `${path}-journal`];
  const existing = names.find((name) => lstatSync(name, { throwIfNoEntry: false }) !== undefined);
  if (existing !== undefined) throw new DatabaseUnavailable(`${existing} is there; move it away first`);
}

/** Moves the copy to its final path. Unlike rename, link never replaces an existing file. */
function publish(partial: string, to: string): void {
  try {
    linkSync(partial, to);
  } catch {
    // The target exists, or the file system does not support links.
    refuseExisting(to);
    renameSync(partial, to);
  }
}

function check(copyPath: string, path: string, tables: readonly string[]): number {
  const copy = new DatabaseSync(copyPath);
  try {
    assertIntegrity(copy, path);
    copy.exec('PRAGMA journal_mode = DELETE'); // A backup is a single file without a write-ahead log.
    return tables.reduce((rows, table) => rows + Number(scalar(copy, `SELECT count(*) FROM ${table}`)), 0);
  } finally {
    copy.close();
  }
}

/** Gives a file of root to the owner of its folder. Does nothing for other users and on Windows. */
function giveToOwnerOfFolder(path: string, folder: string): void {
  const { uid, gid } = statSync(folder);
  if (lstatSync(path).uid === 0 && uid !== 0) lchownSync(path, uid, gid);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** An incomplete copy in its own folder. */
type PartialCopy = {
  /** The path of the incomplete copy. */
  readonly path: string;
  /** Removes the folder and its contents. */
  readonly remove: () => void;
};

const SUFFIX = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial$/;
const LOCK = 'lock';

/**
 * Creates a folder for a copy beside its final path, and locks the folder until it is removed. The lock is a SQLite
 * lock: it ends with the process, even after a kill -9, and unlike process ids it works across containers on the same
 * disk.
 *
 * @throws {DatabaseUnavailable} when another process removed the folder as abandoned before it was locked
 */
function createPartialCopy(to: string): PartialCopy {
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

/** Removes the partial copies of killed processes, but not of running processes. */
function removeAbandoned(to: string): void {
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
      // Another process holds the lock, or another user owns the folder. Neither prevents this copy.
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
