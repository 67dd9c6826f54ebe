import {
  migrationsIn,
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
  migrations: migrationsIn(new URL('migrations', import.meta.url)),
};

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens the store, and creates its tables if needed. @throws {DatabaseUnavailable} when it cannot be used */
export async function openStore(location: DatabaseLocation, options: DatabaseOptions) {
  const { read, write, once, check, close } = await openDatabase(location, definition, options);
  // Clients may send U+0000, which the text of PostgreSQL cannot have, and JSON can.
  const keyOf = (name: string): string => JSON.stringify(name);
  return {
    /** Stores an entry. Replaces an entry with the same name. The entry is on disk when the promise resolves. */
    put: ({ name, json }: Entry) =>
      write(sql`INSERT INTO ${entries} (name, json) VALUES (${keyOf(name)}, ${json})
        ON CONFLICT (name) DO UPDATE SET json = excluded.json`),
    find: async (name: string): Promise<Entry | undefined> => {
      const [found] = await read(sql<Entry>`SELECT json FROM ${entries} WHERE name = ${keyOf(name)}`);
      return found && { name, json: found.json };
    },
    list: async (): Promise<Entry[]> => {
      const rows = await read(sql<Entry>`SELECT name, json FROM ${entries} ORDER BY name`);
      return rows.map(({ name, json }) => ({ name: JSON.parse(name) as string, json })); // As put() has written it.
    },
    remove: (name: string) => write(sql`DELETE FROM ${entries} WHERE name = ${keyOf(name)}`),
    once,
    check,
    close,
  };
}
