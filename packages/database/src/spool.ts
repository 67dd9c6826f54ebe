import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailable } from './database.ts';
import { primaryCode, SQLITE } from './sqlite/errors.ts';

/** A queue of serialized pages in a temporary SQLite database: in memory while it is small, otherwise in a file. */
export type Spool = {
  /** @throws {DatabaseUnavailable} when the temporary folder is full */
  readonly push: (page: Uint8Array) => void;
  /** Removes and returns the first page. Returns `undefined` when the queue is empty. */
  readonly shift: () => Uint8Array<ArrayBuffer> | undefined;
  readonly close: () => void;
};

/** Creates an empty queue. */
export function createSpool(): Spool {
  const database = new DatabaseSync(''); // An unnamed database, which is deleted when its connection closes.
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
      const page = remove.get(first)?.['page'] as Uint8Array<ArrayBuffer>; // Pages from `first` to `next` exist.
      first += 1;
      return page;
    },
    close() {
      database.close();
    },
  };
}
