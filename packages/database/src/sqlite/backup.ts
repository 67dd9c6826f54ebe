import {
  closeSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable, type Definition } from '../database.ts';
import { unavailable } from './errors.ts';
import { assertIntegrity, openForReading, scalar, schemaOf } from './open-file.ts';
import { createPartialCopy, removeAbandoned, type PartialCopy } from './partial-copy.ts';
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
