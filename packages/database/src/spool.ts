import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable } from './database.ts';
import { primaryCode, SQLITE } from './sqlite/errors.ts';

/** A queue of serialized pages that SQLite keeps in memory while it is short, and in a temporary file otherwise. */
export type Spool = {
  /** @throws {DatabaseUnavailable} when the temporary folder is full */
  readonly push: (page: Uint8Array) => void;
  /** Removes the first page and returns it; `undefined` when there is none. */
  readonly shift: () => Uint8Array<ArrayBuffer> | undefined;
  readonly close: () => void;
};

export function createSpool(): Spool {
  const database = new DatabaseSync(''); // Its file has no name, and is gone with its connection.
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -64');
  database.exec('CREATE TABLE pages (number INTEGER PRIMARY KEY, page BLOB NOT NULL)');
  const insert = database.prepare('INSERT INTO pages VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM pages WHERE number = ? RETURNING page');
  let first = 0;
  let next = 0;
  return {
    push(page) {
      try {
        insert.run(next, page);
      } catch (error) {
        if (primaryCode(error) !== SQLITE.FULL) throw error;
        throw new DatabaseUnavailable('the temporary folder (TMPDIR) is full', { cause: error });
      }
      next += 1;
    },
    shift() {
      if (first === next) return undefined;
      const page = remove.get(first)?.['page'] as Uint8Array<ArrayBuffer>; // Each number from `first` to `next` is there.
      first += 1;
      return page;
    },
    close() {
      database.close();
    },
  };
}
