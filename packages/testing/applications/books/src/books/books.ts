import { sql, table, type Database, type Definition } from '@contract-first/database';

export type BookRow = { readonly id: bigint; readonly title: string; readonly bytes: bigint };

export const bookTables: Definition = {
  name: 'bookshop',
  tag: 'book',
  tables: ['books'],
  migrations: {
    sqlite: ['CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT'],
    postgres: [
      (schema) => `CREATE TABLE ${schema}.books (id bigint PRIMARY KEY, title text NOT NULL, bytes bigint NOT NULL)`,
    ],
  },
};

const books = table('books');
const PAGE_ROWS = 20n;

/** The books of the shop. */
export function createBooks({ read, write }: Pick<Database, 'read' | 'write'>) {
  return {
    put: ({ id, title, bytes }: BookRow) =>
      write(sql`INSERT INTO ${books} (id, title, bytes) VALUES (${id}, ${title}, ${bytes})
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, bytes = excluded.bytes`),
    find: async (id: bigint) => (await read(sql<BookRow>`SELECT id, title, bytes FROM ${books} WHERE id = ${id}`))[0],
    /** Returns a page of books after an id. An OFFSET would read all skipped rows, and a large offset may overflow. */
    list: (after: bigint) =>
      read(sql<BookRow>`SELECT id, title, bytes FROM ${books} WHERE id > ${after} ORDER BY id LIMIT ${PAGE_ROWS}`),
    remove: (id: bigint) => write(sql`DELETE FROM ${books} WHERE id = ${id}`),
  };
}

export type Books = ReturnType<typeof createBooks>;
