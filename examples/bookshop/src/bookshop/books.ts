import { sql, table, type Database, type Definition } from '@contract-first/database';
import { parseJson, stringifyJson } from '@contract-first/engine';
import type { Request } from './contract.ts';

/** A book as in the document. */
export type Book = Request<'addBook'>['body'];
export type StoredBook = { readonly id: bigint; readonly book: Book };

// The book is JSON, since titles may contain characters that the databases do not store in text, such as U+0000.
export const bookTables: Definition = {
  name: 'bookshop',
  tag: 'book',
  tables: ['books'],
  migrations: {
    sqlite: [
      'CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, book TEXT NOT NULL) STRICT',
      'CREATE INDEX books_by_kind ON books (kind, id)',
    ],
    postgres: [
      (schema) =>
        `CREATE TABLE ${schema}.books (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text NOT NULL, book text NOT NULL)`,
      (schema) => `CREATE INDEX books_by_kind ON ${schema}.books (kind, id)`,
    ],
  },
};

const books = table('books');
const PAGE_ROWS = 20n;

type Row = { readonly id: bigint; readonly book: string };

/** The books of the shop. */
export function createBooks({ read, write }: Pick<Database, 'read' | 'write'>) {
  return {
    /** Adds a book. Returns its id. */
    async add(book: Book): Promise<bigint> {
      const [added] = await write(
        sql`INSERT INTO ${books} (kind, book) VALUES (${book.kind}, ${stringifyJson(book)}) RETURNING id`,
      );
      return (added?.rows[0] as Row).id; // By RETURNING.
    },

    async find(id: bigint): Promise<StoredBook | undefined> {
      const [row] = await read(sql<Row>`SELECT id, book FROM ${books} WHERE id = ${id}`);
      return row === undefined ? undefined : toBook(row);
    },

    /** Returns a page of books after an id. An OFFSET would read all skipped rows. */
    async list(after: bigint, kind: Book['kind'] | undefined): Promise<StoredBook[]> {
      const ofKind = kind === undefined ? sql`` : sql`kind = ${kind} AND `;
      const rows = await read(
        sql<Row>`SELECT id, book FROM ${books} WHERE ${ofKind}id > ${after} ORDER BY id LIMIT ${PAGE_ROWS}`,
      );
      return rows.map(toBook);
    },

    remove: (id: bigint) => write(sql`DELETE FROM ${books} WHERE id = ${id}`),
  };
}

export type Books = ReturnType<typeof createBooks>;

function toBook({ id, book }: Row): StoredBook {
  return { id, book: parseJson(book) as Book }; // Written by `add`.
}
