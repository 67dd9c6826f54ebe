import type { Database, Definition } from '../engine/database/database.ts';
import { sql, table } from '../engine/database/sql.ts';

export type BookRow = { readonly id: bigint; readonly title: string; readonly bytes: bigint };

export const bookTables: Definition<BookRow> = {
  name: 'bookshop',
  tag: 'book',
  tables: ['books'],
  migrations: {
    sqlite: [
      'CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, bytes INTEGER NOT NULL, key BLOB UNIQUE) STRICT',
    ],
    postgres: [
      (schema) =>
        `CREATE TABLE ${schema}.books
           (id bigint PRIMARY KEY, title text NOT NULL, bytes bigint NOT NULL, key uuid UNIQUE, place integer)`,
    ],
  },
  insert: {
    table: 'books',
    columns: { id: 'bigint', title: 'text', bytes: 'bigint' },
    sqlite: 'INSERT INTO books (id, title, bytes, key) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING',
    postgres: ({ schema, rows, guard }) => `
      INSERT INTO ${schema}.books (id, title, bytes, key, place)
      SELECT new.id, new.title, new.bytes, new.key, new.place FROM ${rows}
      WHERE ${guard} ON CONFLICT (key) DO NOTHING RETURNING place`,
  },
};

const books = table('books');
const PAGE_ROWS = 20n;

/** The books of the shop. */
export function createBooks({ read, write }: Pick<Database<BookRow>, 'read' | 'write'>) {
  return {
    put: ({ id, title, bytes }: BookRow) =>
      write(sql`INSERT INTO ${books} (id, title, bytes) VALUES (${id}, ${title}, ${bytes})
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, bytes = excluded.bytes`),
    find: async (id: bigint) => (await read(sql<BookRow>`SELECT id, title, bytes FROM ${books} WHERE id = ${id}`))[0],
    list: (page: bigint) =>
      read(
        sql<BookRow>`SELECT id, title, bytes FROM ${books} ORDER BY id LIMIT ${PAGE_ROWS} OFFSET ${page * PAGE_ROWS}`,
      ),
    remove: (id: bigint) => write(sql`DELETE FROM ${books} WHERE id = ${id}`),
  };
}

export type Books = ReturnType<typeof createBooks>;
