import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable, type Definition, tagNumberOf, versionTableOf } from '../database.ts';
import { describeChange, type Migration, recordOf, sqlOf } from '../migrations.ts';
import { onceTableSql } from '../once.ts';
import { damageError, primaryCode, SQLITE, unavailable } from './errors.ts';

// A write-ahead log that grew larger during a long read is truncated to this size after a checkpoint.
const LOG_KEPT_BYTES = 16_777_216;
const OPEN_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 20;
/** A statement that reads the database. */
export const READ = 'SELECT 1 FROM sqlite_schema LIMIT 1';

/** The part of a definition that can be sent to a thread. */
export type StoreSchema = Pick<Definition, 'name' | 'tag'> & {
  readonly migrations: readonly Migration[];
  /** Whether there is a table for the results of `once`. */
  readonly once: boolean;
};

/** Returns the part of a definition that can be sent to a thread. */
export function storeSchemaOf({ name, tag, migrations }: Definition, once = false): StoreSchema {
  return { name, tag, migrations: migrations.sqlite, once };
}

/**
 * Opens a database for writing. Creates or migrates it; several processes may do so at the same time.
 *
 * @throws {DatabaseUnavailable} when the database cannot be opened, is damaged, or belongs to another application; it
 *   is unchanged
 */
export function openForWriting(path: string, schema: StoreSchema): DatabaseSync {
  return explaining(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    try {
      if (versionOf(database, path, schema) > 0) assertIntegrity(database, path);
      setDurable(database);
      setWriteAheadLog(database); // In WAL mode, the version can be read while another process migrates.
      while (!migrate(database, path, schema));
      assertWritable(database);
      database.exec(READ); // The first read creates the log.
      syncFolders(path);
      return database;
    } catch (error) {
      // Keeps the log, since part of it may not be on disk.
      const last = connectToKeepLog(path);
      database.close();
      last?.close();
      throw error;
    }
  });
}

/**
 * Opens a read-only connection that keeps the log. When the last connection closes, SQLite moves the log into the
 * database, unless that connection is read-only. Returns `undefined` when the database cannot be read.
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
  // FULL: a commit is on disk when it returns. In WAL mode that takes one sync, and readers never block it.
  // On macOS, fsync leaves data in the drive's cache; fullfsync flushes that, too. Elsewhere it has no effect.
  database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON');
  database.exec(`PRAGMA journal_size_limit = ${String(LOG_KEPT_BYTES)}`);
  // SQLite ignores a failed sync in an automatic checkpoint.
  database.exec('PRAGMA wal_autocheckpoint = 0');
}

/**
 * Opens a database for reading.
 *
 * @throws {DatabaseUnavailable} when there is no database at the path
 */
export function openForReading(path: string, schema: StoreSchema): DatabaseSync {
  if (!existsSync(path)) throw new DatabaseUnavailable(`there is no database at ${path}`);
  return explaining(path, () => {
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS, readOnly: true });
    if (versionOf(database, path, schema) === 0) throw new DatabaseUnavailable(`${path} is not a ${schema.name}`);
    return database;
  });
}

/** Creates the function that runs work in one transaction, which is rolled back when the work throws. */
export function createTransact(database: DatabaseSync): <Result>(work: () => Result) => Result {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}

function explaining<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw unavailable(path, error);
  }
}

/** Migrates a database. Returns `false` when another process holds the lock, which may be migrating the database. */
function migrate(database: DatabaseSync, path: string, schema: StoreSchema): boolean {
  const { tag, migrations } = schema;
  const table = versionTableOf(schema);
  try {
    createTransact(database)(() => {
      const version = versionOf(database, path, schema);
      if (version === 0) database.exec(`PRAGMA application_id = ${String(tagNumberOf(tag))}`);
      const record = readRecord(database, table);
      const change = describeChange(migrations, record, 'delete the file, with all data');
      if (change !== undefined) throw new DatabaseUnavailable(`the database ${path} cannot be used: its ${change}`);
      for (const migration of migrations.slice(version)) database.exec(sqlOf(migration, ''));
      if (version < migrations.length) database.exec(`PRAGMA user_version = ${String(migrations.length)}`);
      if (record !== recordOf(migrations)) writeRecord(database, table, recordOf(migrations));
      if (schema.once) database.exec(onceTableSql(schema, {}));
    });
    return true;
  } catch (error) {
    if (primaryCode(error) !== SQLITE.BUSY || versionOf(database, path, schema) === migrations.length) throw error;
    return false;
  }
}

/** Returns the record of the applied migrations. A database of an earlier version has none. */
function readRecord(database: DatabaseSync, table: string): string | undefined {
  const isRecorded = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
  return isRecorded ? String(scalar(database, `SELECT applied FROM ${table}`)) : undefined;
}

function writeRecord(database: DatabaseSync, table: string, record: string): void {
  database.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (applied TEXT NOT NULL) STRICT`);
  database.prepare(`INSERT INTO ${table} (applied) VALUES (?)`).run(record);
}

/**
 * Checks that the file is writable: SQLite opens a read-only file and begins transactions.
 *
 * @throws the error of SQLite
 */
function assertWritable(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    probeWrite(database);
  } finally {
    database.exec('ROLLBACK');
  }
}

/**
 * Writes the current version again. A transaction without changes would not write to the disk; this write fails when an
 * insert would fail, for example on a full disk.
 */
export function probeWrite(database: DatabaseSync): void {
  database.exec(`PRAGMA user_version = ${String(scalar(database, 'PRAGMA user_version'))}`);
}

// A single statement, since another process may migrate the database between two statements.
const STATE = `SELECT application_id AS tag, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS entries
  FROM pragma_application_id, pragma_user_version`;

/** Returns the version of a database; 0 for an empty one. */
function versionOf(database: DatabaseSync, path: string, { tag, migrations }: StoreSchema): number {
  const { tag: found, version, entries } = database.prepare(STATE).get() as Record<string, number>; // All are integers.
  if (found !== tagNumberOf(tag)) {
    if (entries === 0) return 0;
    throw new DatabaseUnavailable(`${path} is another program's database`);
  }
  if (Number(version) > migrations.length) {
    throw new DatabaseUnavailable(`${path} was written by a newer version of the service`);
  }
  return Number(version);
}

/**
 * Checks the integrity of the whole file, since a damaged database may still return some of its rows.
 *
 * @throws {DatabaseUnavailable} when the database is damaged
 */
export function assertIntegrity(database: DatabaseSync, path: string): void {
  if (scalar(database, 'PRAGMA quick_check(1)') !== 'ok') throw damageError(path);
}

/** Enables WAL mode. Retries, since SQLite's busy timeout does not apply to this statement. */
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
