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
      `CREATE TABLE beds (id INTEGER PRIMARY KEY AUTOINCREMENT, crop TEXT NOT NULL, metres INTEGER NOT NULL,
         version INTEGER NOT NULL) STRICT`,
      'CREATE TABLE photos (bed INTEGER PRIMARY KEY, png BLOB NOT NULL) STRICT',
    ],
    postgres: [
      (schema) => `CREATE TABLE ${schema}.beds (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         crop text NOT NULL, metres bigint NOT NULL, version bigint NOT NULL)`,
      (schema) => `CREATE TABLE ${schema}.photos (bed bigint PRIMARY KEY, png bytea NOT NULL)`,
    ],
  },
};

const beds = table('beds');
const photos = table('photos');
const columns = sql`id, crop, metres, version`;

/** The beds of the garden, and their photos. */
export function createBeds({ read, stream, write, transaction }: Database) {
  return {
    list: (after: bigint, limit: number) =>
      read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE id > ${after} ORDER BY id LIMIT ${BigInt(limit)}`),

    find: async (id: bigint) => (await read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE id = ${id}`))[0],

    async create({ crop, squareMetres }: NewBed): Promise<BedRow> {
      const [added] = await write(sql`INSERT INTO ${beds} (crop, metres, version)
        VALUES (${crop}, ${BigInt(squareMetres)}, 1) RETURNING ${columns}`);
      return added?.rows[0] as BedRow; // By RETURNING.
    },

    /**
     * Replaces a bed. Returns the new bed; `undefined` if the bed does not exist.
     *
     * @param assert throws if the bed must not be replaced
     */
    replace: (id: bigint, { crop, squareMetres }: NewBed, assert: (present: BedRow) => void) =>
      transaction(async ({ read, write }): Promise<BedRow | undefined> => {
        const [present] = await read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE id = ${id}`);
        if (present === undefined) return undefined;
        assert(present);
        const bed = { id, crop, metres: BigInt(squareMetres), version: present.version + 1n };
        await write(sql`UPDATE ${beds} SET crop = ${bed.crop}, metres = ${bed.metres}, version = ${bed.version}
          WHERE id = ${id}`);
        return bed;
      }),

    /**
     * Removes a bed and its photo.
     *
     * @param assert throws if the bed must not be removed
     */
    remove: (id: bigint, assert: (present: BedRow) => void) =>
      transaction(async ({ read, write }) => {
        const [present] = await read(sql<BedRow>`SELECT ${columns} FROM ${beds} WHERE id = ${id}`);
        if (present !== undefined) assert(present);
        await write(sql`DELETE FROM ${photos} WHERE bed = ${id}`, sql`DELETE FROM ${beds} WHERE id = ${id}`);
      }),

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
