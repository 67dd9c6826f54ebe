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
import { assertIntegrity, openForReading, scalar, schemaOf } from './open-file.ts';
import { syncFolders } from './sync-folders.ts';

// In one step, from one snapshot: after a smaller one, SQLite would begin again after every commit.
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a SQLite database, as a checked snapshot, while services write to it. Made by root, the copy belongs to the owner
 * of its folder, as the service that uses it does.
 *
 * @param to nothing may be there; the copy appears under this name when it is complete and on disk
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
  const source = openForReading(from, schemaOf(definition));
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
    syncFolders(dirname(path)); // Nothing appears where it could not be kept.
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

/** A log that was left behind by another database would be taken for the copy's. */
function refuseExisting(path: string): void {
  const names = [path, `${path}-wal`, `${path}-journal`];
  const existing = names.find((name) => lstatSync(name, { throwIfNoEntry: false }) !== undefined);
  if (existing !== undefined) throw new DatabaseUnavailable(`${existing} is there; move it away first`);
}

/** Gives the copy its name. Unlike rename, link never replaces an existing file. */
function publish(partial: string, to: string): void {
  try {
    linkSync(partial, to);
  } catch {
    // It is there, or this file system has no links.
    refuseExisting(to);
    renameSync(partial, to);
  }
}

function check(copyPath: string, path: string, tables: readonly string[]): number {
  const copy = new DatabaseSync(copyPath);
  try {
    assertIntegrity(copy, path);
    copy.exec('PRAGMA journal_mode = DELETE'); // A backup is one file, without a write-ahead log beside it.
    return tables.reduce((rows, table) => rows + Number(scalar(copy, `SELECT count(*) FROM ${table}`)), 0);
  } finally {
    copy.close();
  }
}

/** Changes the owner of a file of root. Other users cannot, and need not: it is theirs. Windows has no such owners. */
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

/** A copy that is not complete yet, in a folder of its own. */
type PartialCopy = {
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

/** Removes the partial copies of processes that were killed, and none of a process that runs. */
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
