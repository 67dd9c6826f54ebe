import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable, numberOf, type Definition } from '../database.ts';
import { damaged, primaryCode, SQLITE, unavailable } from './errors.ts';
import { syncFolders } from './sync-folders.ts';

// A write-ahead log that has grown larger during a long read is truncated after its checkpoint.
const LOG_KEPT_BYTES = 16_777_216;
const OPEN_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 20;
/** A statement that reads the database. */
export const READ = 'SELECT 1 FROM sqlite_schema LIMIT 1';

/** The part of an application's definition that a thread can be given. */
export type Schema = Pick<Definition, 'name' | 'tag'> & { readonly migrations: readonly string[] };

/** Returns that part of a definition. */
export function schemaOf({ name, tag, migrations }: Definition): Schema {
  return { name, tag, migrations: migrations.sqlite };
}

/**
 * Opens a database for writing, creating or migrating it: safe for several processes at once.
 *
 * @throws {DatabaseUnavailable} when it cannot be opened, is damaged, or is something else; nothing was changed in it
 */
export function openForWriting(path: string, schema: Schema): DatabaseSync {
  return explaining(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    try {
      if (versionOf(database, path, schema) > 0) assertIntegrity(database, path);
      setDurable(database);
      setWriteAheadLog(database); // From here on, the version can be read while another process migrates.
      while (!migrate(database, path, schema));
      assertWritable(database);
      database.exec(READ); // The first read creates the log.
      syncFolders(path);
      return database;
    } catch (error) {
      // A part of the log may not be on disk.
      const last = connectToKeepLog(path);
      database.close();
      last?.close();
      throw error;
    }
  });
}

/**
 * Opens a connection that cannot write. SQLite moves the log into the database with the last connection that is closed,
 * and leaves it where it is if that is this one. Returns `undefined` when there is nothing to read.
 */
export function connectToKeepLog(path: string): DatabaseSync | undefined {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.exec(READ);
    return database;
  } catch {
    return undefined;
  }
}

/** Opens another connection to a database that is open for writing. @throws the error of SQLite */
export function connectForWriting(path: string, busyTimeoutMs = 0): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  setDurable(database);
  return database;
}

function setDurable(database: DatabaseSync): void {
  // FULL: a commit is on disk when it returns. In WAL mode that is one sync, and readers never block it.
  // On macOS, it is in the drive's cache then; fullfsync has that written, too. Elsewhere it changes nothing.
  database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON');
  database.exec(`PRAGMA journal_size_limit = ${String(LOG_KEPT_BYTES)}`);
  // SQLite ignores a sync that fails in an automatic checkpoint.
  database.exec('PRAGMA wal_autocheckpoint = 0');
}

/**
 * Opens a database for reading.
 *
 * @throws {DatabaseUnavailable} when there is none at the path
 */
export function openForReading(path: string, schema: Schema): DatabaseSync {
  if (!existsSync(path)) throw new DatabaseUnavailable(`there is no database at ${path}`);
  return explaining(path, () => {
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS, readOnly: true });
    if (versionOf(database, path, schema) === 0) throw new DatabaseUnavailable(`${path} is not a ${schema.name}`);
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

function explaining<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw unavailable(path, error);
  }
}

/** Returns false when another process holds the lock and the database is not up to date yet: it may be migrating it. */
function migrate(database: DatabaseSync, path: string, schema: Schema): boolean {
  const { tag, migrations } = schema;
  try {
    transact(database, () => {
      const version = versionOf(database, path, schema);
      if (version === 0) database.exec(`PRAGMA application_id = ${String(numberOf(tag))}`);
      for (const migration of migrations.slice(version)) database.exec(migration);
      if (version < migrations.length) database.exec(`PRAGMA user_version = ${String(migrations.length)}`);
    });
    return true;
  } catch (error) {
    if (primaryCode(error) !== SQLITE.BUSY || versionOf(database, path, schema) === migrations.length) throw error;
    return false;
  }
}

/** @throws the error of SQLite for a file that is read-only, which it opens and in which it begins a transaction */
function assertWritable(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    probeWrite(database);
  } finally {
    database.exec('ROLLBACK');
  }
}

/**
 * Writes the version that is there already. A transaction without changes never reaches the disk; this one fails where an
 * insert would, on a full disk for example.
 */
export function probeWrite(database: DatabaseSync): void {
  database.exec(`PRAGMA user_version = ${String(scalar(database, 'PRAGMA user_version'))}`);
}

// One statement, since another process may migrate the database between two.
const STATE = `SELECT application_id AS tag, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS entries
  FROM pragma_application_id, pragma_user_version`;

/** Returns 0 for a database with nothing in it. */
function versionOf(database: DatabaseSync, path: string, { tag, migrations }: Schema): number {
  const { tag: found, version, entries } = database.prepare(STATE).get() as Record<string, number>; // All are integers.
  if (found !== numberOf(tag)) {
    if (entries === 0) return 0;
    throw new DatabaseUnavailable(`${path} is another program's database`);
  }
  if (Number(version) > migrations.length) {
    throw new DatabaseUnavailable(`${path} was written by a newer version of the service`);
  }
  return Number(version);
}

/**
 * Reads the whole file: a damaged one may still return some of its rows.
 *
 * @throws {DatabaseUnavailable} when it is damaged
 */
export function assertIntegrity(database: DatabaseSync, path: string): void {
  if (scalar(database, 'PRAGMA quick_check(1)') !== 'ok') throw damaged(path);
}

/** Retries, since SQLite's busy timeout does not apply to this statement. */
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

/** Returns the first column of the first row. */
export function scalar(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}
