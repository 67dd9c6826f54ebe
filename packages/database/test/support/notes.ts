import type { BatchDatabase, BatchDefinition, Database, DatabaseOptions } from '../../src/database.ts';
import { openDatabase } from '../../src/open-database.ts';
import { either, sql, table, type Query } from '../../src/sql.ts';
import { DATABASE_OPTIONS, locationOf } from '@contract-first/testing/database.ts';

// A second application of the database: notes, and a tally of notes.
export type Note = { readonly id: bigint; readonly text: string };

export const notes = table('notes');
export const tally = table('tally');

const noteBook: BatchDefinition<Note> = {
  name: 'note book',
  tag: 'note',
  tables: ['notes', 'tally'],
  migrations: {
    sqlite: [
      `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL, key BLOB UNIQUE) STRICT;
       CREATE TABLE tally (total INTEGER NOT NULL) STRICT;
       INSERT INTO tally VALUES (0)`,
    ],
    postgres: [
      (schema) => `
        CREATE TABLE ${schema}.notes (id bigint PRIMARY KEY, text text NOT NULL, key uuid NOT NULL UNIQUE);
        CREATE TABLE ${schema}.tally (total bigint NOT NULL);
        INSERT INTO ${schema}.tally VALUES (0)`,
    ],
  },
  insert: {
    table: 'notes',
    columns: { id: 'bigint', text: 'text' },
    sqlite: 'INSERT INTO notes (id, text, key) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING',
    postgres: (schema, rows) =>
      `INSERT INTO ${schema}.notes (id, text, key) SELECT id, text, key FROM ${rows}
       ON CONFLICT (key) DO NOTHING RETURNING key`,
  },
};

/** Opens a database of notes. */
export async function openNotes(url: string, overrides: Partial<DatabaseOptions> = {}): Promise<BatchDatabase<Note>> {
  return openDatabase(locationOf(url), noteBook, { ...DATABASE_OPTIONS, ...overrides });
}

/** Opens a database of notes whose definition has no batch statement. */
export async function openWithoutInsert(url: string): Promise<Database> {
  const { name, tag, tables, migrations } = noteBook;
  return openDatabase(locationOf(url), { name, tag, tables, migrations }, DATABASE_OPTIONS);
}

/** Returns a query that inserts a note. */
export const insertNote = (id: bigint, text: string): Query => {
  const key = either({ sqlite: sql`randomblob(16)`, postgres: sql`gen_random_uuid()` });
  return sql`INSERT INTO ${notes} (id, text, key) VALUES (${id}, ${text}, ${key})`;
};
