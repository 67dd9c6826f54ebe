import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable } from '../database.ts';
import { syncFolders } from './sync-folders.ts';

// "plnt", in the header of the file: tells a plant store from another program's database.
const APPLICATION_ID = 0x706c6e74;
// A log that has grown larger, as somebody was reading for long, is cut when it has been copied into the database.
const LOG_KEPT_BYTES = 16_777_216;
const OPEN_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 20;

/**
 * What leads from each version of the file to the next; never changed once released. `seq` is the order of creation. The
 * index by id ends with `seq`, as every index of a rowid table does, so it also finds the latest plant for an id.
 */
const MIGRATIONS = [
  `CREATE TABLE plants (
     seq INTEGER PRIMARY KEY,
     id INTEGER NOT NULL,
     plant TEXT NOT NULL
   ) STRICT;
   CREATE INDEX plants_by_id ON plants (id);
   PRAGMA application_id = ${String(APPLICATION_ID)}`,
  // Only creations that may be asked for twice have a key, so the index costs the others nothing.
  `ALTER TABLE plants ADD COLUMN key BLOB;
   CREATE UNIQUE INDEX plants_by_key ON plants (key) WHERE key IS NOT NULL`,
];

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
export const SQLITE = { BUSY: 5, CORRUPT: 11, CANTOPEN: 14, TOOBIG: 18, CONSTRAINT: 19, MISMATCH: 20 } as const;

/** Those that a person can do something about. */
const REASONS: Readonly<Record<number, string>> = {
  3: 'cannot be read and written by this user',
  [SQLITE.BUSY]: 'is locked by another process',
  8: 'is read-only',
  10: 'cannot be read or written',
  [SQLITE.CORRUPT]: 'is damaged; restore a backup',
  13: 'is on a disk that is full',
  [SQLITE.CANTOPEN]: 'cannot be opened: is it a file, in a folder that can be written?',
  26: 'is not a SQLite database',
};

/**
 * Opens a plant store for writing, creating or migrating it: safe for several processes at once.
 *
 * @throws {DatabaseUnavailable} when it cannot be opened, is damaged, or is something else; nothing was changed in it
 */
export function openForWriting(path: string): DatabaseSync {
  return explaining(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    if (versionOf(database, path) > 0) assertIntegrity(database, path);
    migrate(database, path);
    // FULL: a commit is on disk when it returns. In WAL mode that is one sync, and readers never block it.
    // On macOS, it is in the drive's cache then; fullfsync has that written, too. Elsewhere it changes nothing.
    database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON');
    database.exec(`PRAGMA journal_size_limit = ${String(LOG_KEPT_BYTES)}`);
    setWriteAheadLog(database);
    database.exec('SELECT 1 FROM plants LIMIT 1'); // With the first read, the log is there.
    syncFolders(path);
    return database;
  });
}

/**
 * Opens a plant store for reading.
 *
 * @throws {DatabaseUnavailable} when there is none at the path
 */
export function openForReading(path: string): DatabaseSync {
  if (!existsSync(path)) throw new DatabaseUnavailable(`there is no database at ${path}`);
  return explaining(path, () => {
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS, readOnly: true });
    if (versionOf(database, path) === 0) throw new DatabaseUnavailable(`${path} is not a plant store`);
    return database;
  });
}

/** Runs statements in one transaction: all of them, or none when something is thrown. */
export function transact<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Writes what is there already. A transaction that changes nothing never gets as far as the disk; with this, it is stopped
 * by whatever would stop one that adds a plant: a full disk, say.
 */
export function probeWrite(database: DatabaseSync): readonly [] {
  database.exec(`PRAGMA user_version = ${String(scalar(database, 'PRAGMA user_version'))}`);
  return [];
}

/** SQLite's primary result code: the low byte of the extended one. 0 for what is not SQLite's. */
export function primaryCode(error: unknown): number {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return errcode & 0xff;
}

/** A line on what is wrong with the database, for whoever runs the service. */
export function explain(path: string, error: unknown): string {
  const { syscall, message } = error as NodeJS.ErrnoException;
  const code = syscall === undefined ? primaryCode(error) : SQLITE.CANTOPEN; // The folder could not be made, say.
  return `the database ${path} ${REASONS[code] ?? `cannot be used (${message})`}`;
}

/** Any error of a database as one with a line for whoever runs the service. */
export function unavailable(path: string, error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  return new DatabaseUnavailable(explain(path, error), { cause: error });
}

function explaining<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw unavailable(path, error);
  }
}

function migrate(database: DatabaseSync, path: string): void {
  transact(database, () => {
    const version = versionOf(database, path);
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    if (version < MIGRATIONS.length) database.exec(`PRAGMA user_version = ${String(MIGRATIONS.length)}`);
  });
}

/** 0 for a database with nothing in it. */
function versionOf(database: DatabaseSync, path: string): number {
  if (scalar(database, 'PRAGMA application_id') !== APPLICATION_ID) {
    if (scalar(database, 'SELECT count(*) FROM sqlite_schema') === 0) return 0;
    throw new DatabaseUnavailable(`${path} is another program's database`);
  }
  const version = Number(scalar(database, 'PRAGMA user_version'));
  if (version > MIGRATIONS.length)
    throw new DatabaseUnavailable(`${path} was written by a newer version of the service`);
  return version;
}

/**
 * Reads the whole file: what a damaged one still gives must not be taken for all there was.
 *
 * @throws {DatabaseUnavailable} when it is damaged
 */
export function assertIntegrity(database: DatabaseSync, path: string): void {
  if (scalar(database, 'PRAGMA quick_check(1)') === 'ok') return;
  throw new DatabaseUnavailable(`the database ${path} ${REASONS[SQLITE.CORRUPT] ?? ''}`);
}

/** The one statement for which SQLite does not wait until another process has opened the same file. */
function setWriteAheadLog(database: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += WAL_RETRY_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (primaryCode(error) !== SQLITE.BUSY || waitedMs >= OPEN_TIMEOUT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
    }
  }
}

function scalar(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}
