import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createGroupCommit } from './group-commit.ts';
import { StoreUnavailable, type PlantReader, type PlantStore, type StoredPlant } from './plant-store.ts';

// "plnt", in the header of the file: tells a plant store from another program's database.
const APPLICATION_ID = 0x706c6e74;
const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 20;
const SQLITE_BUSY = 5;

// `seq` is the order of creation. The plant is kept as JSON text because SQLite cuts text at U+0000 and UTF-8 has no
// lone surrogates; JSON escapes both. The index ends with `seq`, as every index of a rowid table does, so it also finds
// the latest plant for an id.
const SCHEMA = `
  CREATE TABLE plants (
    seq INTEGER PRIMARY KEY,
    id INTEGER NOT NULL,
    plant TEXT NOT NULL
  ) STRICT;
  CREATE INDEX plants_by_id ON plants (id);
  PRAGMA application_id = ${String(APPLICATION_ID)};
  PRAGMA user_version = ${String(SCHEMA_VERSION)};
`;

const LIST = {
  history: 'SELECT id, plant FROM plants ORDER BY seq',
  current: `SELECT id, plant FROM plants AS this
    WHERE NOT EXISTS (SELECT 1 FROM plants AS later WHERE later.id = this.id AND later.seq > this.seq)
    ORDER BY seq`,
};

/**
 * Opens the embedded store, creating the file and its folder when they are missing.
 *
 * @throws {StoreUnavailable} when the file cannot be opened, or holds something else
 */
export function openSqliteStore(path: string): PlantStore {
  const database = explaining(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    const opened = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    migrate(opened, path);
    // FULL: a commit is on disk when it returns. In WAL mode that is one sync, and readers never block it.
    opened.exec('PRAGMA synchronous = FULL');
    setWriteAheadLog(opened);
    return opened;
  });
  const insert = database.prepare('INSERT INTO plants (id, plant) VALUES (?, ?)');
  const commits = createGroupCommit<StoredPlant>((plants) => {
    transact(database, () => {
      for (const { id, ...plant } of plants) insert.run(id, JSON.stringify(plant));
    });
  });

  return {
    add: commits.add,
    list: (which) => listPlants(database, which),
    async close() {
      await commits.drain();
      database.close();
    },
  };
}

/**
 * Opens the embedded store for reading.
 *
 * @throws {StoreUnavailable} when there is no plant store at the path
 */
export function openSqliteReader(path: string): PlantReader {
  if (!existsSync(path)) throw new StoreUnavailable(`there is no database at ${path}`);
  const database = explaining(path, () => {
    const opened = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
    if (!isPlantStore(opened)) throw new StoreUnavailable(`${path} is not a plant store`);
    return opened;
  });
  return {
    list: (which) => listPlants(database, which),
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}

async function* listPlants(database: DatabaseSync, which: 'current' | 'history'): AsyncGenerator<StoredPlant> {
  const statement = database.prepare(LIST[which]);
  statement.setReadBigInts(true);
  for (const row of statement.iterate()) {
    const { id, plant } = row as { id: bigint; plant: string };
    yield { id, ...(JSON.parse(plant) as Omit<StoredPlant, 'id'>) };
  }
}

/** Changes nothing in a file that is not a plant store of this version. */
function migrate(database: DatabaseSync, path: string): void {
  transact(database, () => {
    if (isPlantStore(database)) {
      const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
      if (version > SCHEMA_VERSION) throw new StoreUnavailable(`${path} was written by a newer version of the service`);
      return;
    }
    const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number };
    if (count > 0) throw new StoreUnavailable(`${path} is another program's database`);
    database.exec(SCHEMA);
  });
}

/** The one statement for which SQLite does not wait until another process has opened the same file. */
function setWriteAheadLog(database: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += WAL_RETRY_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = primaryCode(error) === SQLITE_BUSY;
      if (!isBusy || waitedMs >= BUSY_TIMEOUT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
    }
  }
}

function isPlantStore(database: DatabaseSync): boolean {
  const row = database.prepare('PRAGMA application_id').get() as { application_id: number };
  return row.application_id === APPLICATION_ID;
}

function transact(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

// SQLite's primary result codes (https://sqlite.org/rescode.html) that a person can do something about.
const REASONS: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'is locked by another process',
  8: 'is read-only',
  10: 'cannot be read or written',
  11: 'is damaged',
  13: 'is on a disk that is full',
  14: 'cannot be opened: is it a file, in a folder that can be written?',
  26: 'is not a SQLite database',
};

function explaining<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = REASONS[primaryCode(error)] ?? `cannot be opened (${code ?? message})`;
    throw new StoreUnavailable(`the database ${path} ${reason}`, { cause: error });
  }
}

/** SQLite's primary result code: the low byte of the extended one. 0 for what is not SQLite's. */
function primaryCode(error: unknown): number {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return errcode & 0xff;
}
