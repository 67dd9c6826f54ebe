import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from './plant-store.ts';
import { explain, openForReading, refuseDamage } from './sqlite-file.ts';

// In one step, from one snapshot: after a smaller one, SQLite would begin again whenever a plant was added meanwhile.
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies an embedded store, whole and checked, as it is at this moment, while services add to it.
 *
 * @param to nothing may be there; the copy appears under this name when it is complete and on disk
 * @returns how many creations it holds
 * @throws {StoreUnavailable} when there is no sound plant store to copy, or something is in its way
 */
export async function copySqliteStore(from: string, to: string): Promise<number> {
  refuseExisting(to);
  const source = openForReading(from);
  const partial = `${to}.${randomUUID()}.partial`;
  try {
    mkdirSync(dirname(to), { recursive: true });
    await backup(source, partial, { rate: ALL_PAGES });
    const creations = check(partial, from);
    sync(partial);
    refuseExisting(to);
    renameSync(partial, to);
    sync(dirname(to));
    return creations;
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : new StoreUnavailable(explain(to, error), { cause: error });
  } finally {
    source.close();
    if (existsSync(partial)) rmSync(partial);
  }
}

/** A write-ahead log that was left behind would be taken for the copy's. */
function refuseExisting(path: string): void {
  const existing = [path, `${path}-wal`].find((name) => existsSync(name));
  if (existing !== undefined) throw new StoreUnavailable(`${existing} is there; move it away first`);
}

function check(copyPath: string, path: string): number {
  const copy = new DatabaseSync(copyPath);
  try {
    refuseDamage(copy, path);
    copy.exec('PRAGMA journal_mode = DELETE'); // A backup is one file, without a write-ahead log beside it.
    return Number(copy.prepare('SELECT count(*) AS count FROM plants').get()?.['count']);
  } finally {
    copy.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
