import { sql, table, type Database, type Definition } from '@contract-first/database';

export type NewBed = { readonly crop: string; readonly squareMetres: number };
/** A row of the table. The version counts its changes. */
export type BedRow = { readonly id: bigint; readonly crop: string; readonly metres: bigint; readonly version: bigint };

export const gardenTables: Definition = {
  name: 'garden',
  tag: 'gard',
  tables: ['beds', 'photos'],
  migrations: {
    sqlite: [
      `CREATE TABLE beds (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, crop TEXT NOT NULL,
         metres INTEGER NOT NULL, version INTEGER NOT NULL) STRICT`,
      'CREATE TABLE photos (bed INTEGER PRIMARY KEY, png BLOB NOT NULL) STRICT',
    ],
    postgres: [
      (schema) => `CREATE TABLE ${schema}.beds (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         key text NOT NULL UNIQUE, crop text NOT NULL, metres bigint NOT NULL, version bigint NOT NULL)`,
      (schema) => `CREATE TABLE ${schema}.photos (bed bigint PRIMARY KEY, png bytea NOT NULL)`,
    ],
  },
};

const beds = table('beds');
const photos = table('photos');
const columns = sql`id, crop, metres, version`;

/** The beds of the garden, and their photos. */
export function createBeds({ read, stream, write }: Pick<Database, 'read' | 'stream' | 'write'>) {
  return {
    list: (after: bigint, limit: number) =>
      read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE id > ${after} ORDER BY id LIMIT ${BigInt(limit)}`),

    find: async (id: bigint) => (await read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE id = ${id}`))[0],

    /** Creates a bed. With a known key, returns the bed that has it. */
    async create({ crop, squareMetres }: NewBed, key: string) {
      await write(sql`INSERT INTO ${beds} (key, crop, metres, version)
        VALUES (${key}, ${crop}, ${BigInt(squareMetres)}, 1) ON CONFLICT (key) DO NOTHING`);
      return (await read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE key = ${key}`))[0];
    },

    /** Replaces a bed that still has the version. Returns whether it had. */
    async replace(id: bigint, { crop, squareMetres }: NewBed, version: bigint) {
      const [changed] = await write(sql`UPDATE ${beds} SET crop = ${crop}, metres = ${BigInt(squareMetres)},
        version = version + 1 WHERE id = ${id} AND version = ${version}`);
      return changed?.count === 1;
    },

    remove: (id: bigint) =>
      write(sql`DELETE FROM ${photos} WHERE bed = ${id}`, sql`DELETE FROM ${beds} WHERE id = ${id}`),

    all: () => stream(sql<BedRow>`SELECT ${columns} FROM ${beds} ORDER BY id`),

    savePhoto: (id: bigint, png: Uint8Array) =>
      write(
        sql`INSERT INTO ${photos} (bed, png) VALUES (${id}, ${png}) ON CONFLICT (bed) DO UPDATE SET png = excluded.png`,
      ),

    photo: async (id: bigint) =>
      (await read(sql<{ readonly png: Uint8Array }>`SELECT png FROM ${photos} WHERE bed = ${id}`))[0]?.png,
  };
}

export type Beds = ReturnType<typeof createBeds>;
