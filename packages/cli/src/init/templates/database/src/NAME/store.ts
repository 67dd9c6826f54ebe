import {
  openDatabase,
  sql,
  table,
  type DatabaseLocation,
  type DatabaseOptions,
  type Definition,
} from '@contract-first/database';

/** An example: JSON text by name. Replace it by tables of your own. */
export type Entry = { readonly name: string; readonly json: string };

const entries = table('entries');

const definition: Definition = {
  name: 'WORDS',
  tag: 'CODE',
  tables: ['entries'],
  // Append to the lists: a database that exists is at one of their versions.
  migrations: {
    sqlite: ['CREATE TABLE entries (name TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT'],
    postgres: [(schema) => `CREATE TABLE ${schema}.entries (name text PRIMARY KEY, json text NOT NULL)`],
  },
};

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens the store, and creates its tables if needed. @throws {DatabaseUnavailable} when it cannot be used */
export async function openStore(location: DatabaseLocation, options: DatabaseOptions) {
  const { read, write, check, close } = await openDatabase(location, definition, options);
  return {
    /** Stores an entry, in place of one with the same name. It is on disk when the promise resolves. */
    put: ({ name, json }: Entry) =>
      write(sql`INSERT INTO ${entries} (name, json) VALUES (${name}, ${json})
        ON CONFLICT (name) DO UPDATE SET json = excluded.json`),
    find: async (name: string) => (await read(sql<Entry>`SELECT name, json FROM ${entries} WHERE name = ${name}`))[0],
    list: () => read(sql<Entry>`SELECT name, json FROM ${entries} ORDER BY name`),
    remove: (name: string) => write(sql`DELETE FROM ${entries} WHERE name = ${name}`),
    check,
    close,
  };
}
