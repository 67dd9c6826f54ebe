import { type DatabaseOptions, type DatabaseReader, type Definition } from '../engine/database/database.ts';
import { openDatabase, openReader, type DatabaseLocation } from '../engine/database/open-database.ts';
import { either, sql, table } from '../engine/database/sql.ts';
import type { PlantReader, PlantStore, StoredPlant } from './plant-store.ts';

// The tables of the plant store, and its statements. A plant is JSON text beside its id: SQLite cuts text at U+0000,
// PostgreSQL refuses it, and UTF-8 has no lone surrogates; JSON escapes both.
type PlantRow = { readonly id: bigint; readonly plant: string };

export const plantTables: Definition<PlantRow> = {
  name: 'plant store',
  tag: 'plnt',
  tables: ['plants'],
  migrations: {
    // `seq` is the order of creation. The index by id ends with `seq`, as every index of a rowid table does, so it also
    // finds the latest plant with an id. Only creations that may be repeated have a key; the others are not indexed.
    sqlite: [
      `CREATE TABLE plants (
         seq INTEGER PRIMARY KEY,
         id INTEGER NOT NULL,
         plant TEXT NOT NULL
       ) STRICT;
       CREATE INDEX plants_by_id ON plants (id)`,
      `ALTER TABLE plants ADD COLUMN key BLOB;
       CREATE UNIQUE INDEX plants_by_key ON plants (key) WHERE key IS NOT NULL`,
    ],
    // No sequence: all writers of a distributed engine would contend for it. `key` is random, so such an engine spreads
    // the rows, or groups them by `id`. The order of creation is (created_at, place, key).
    postgres: [
      (schema) => `
        CREATE TABLE ${schema}.plants (
          key uuid NOT NULL,
          id bigint NOT NULL,
          created_at timestamptz NOT NULL,
          place integer NOT NULL,
          plant text NOT NULL,
          PRIMARY KEY (key, id)
        );
        CREATE INDEX plants_by_id ON ${schema}.plants (id, created_at)`,
    ],
  },
  insert: {
    table: 'plants',
    columns: { id: 'bigint', plant: 'text' },
    sqlite: 'INSERT INTO plants (id, plant, key) VALUES (?, ?, ?) ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING',
    // A creation is later than every committed one of its id, even if the clock of this server is behind.
    postgres: ({ schema, rows, guard }) => `
      INSERT INTO ${schema}.plants (key, id, created_at, place, plant)
      SELECT new.key, new.id,
        greatest(now(), (SELECT max(created_at) FROM ${schema}.plants WHERE id = new.id) + interval '1 microsecond'),
        new.place, new.plant
      FROM ${rows}
      WHERE ${guard}
      ON CONFLICT (key, id) DO NOTHING
      RETURNING place`,
  },
};

const plants = table('plants');
const oldestFirst = either({ sqlite: sql`seq`, postgres: sql`created_at, place, key` });
const history = sql<PlantRow>`SELECT id, plant FROM ${plants} ORDER BY ${oldestFirst}`;
const latestOfEach = either({
  sqlite: sql`SELECT * FROM ${plants} AS this
    WHERE NOT EXISTS (SELECT 1 FROM ${plants} AS later WHERE later.id = this.id AND later.seq > this.seq)`,
  postgres: sql`SELECT DISTINCT ON (id) * FROM ${plants} ORDER BY id, created_at DESC, place DESC, key DESC`,
});
const current = sql<PlantRow>`SELECT id, plant FROM (${latestOfEach}) AS latest ORDER BY ${oldestFirst}`;

/** Opens the plant store, and creates its tables if needed. @throws {DatabaseUnavailable} when it cannot be used */
export async function openPlantStore(location: DatabaseLocation, options: DatabaseOptions): Promise<PlantStore> {
  const database = await openDatabase(location, plantTables, options);
  return {
    add: ({ id, name, tag }, key) => database.insert({ id, plant: JSON.stringify({ name, tag }) }, key),
    check: database.check,
    close: database.close,
  };
}

/** Opens the plant store for reading only. @throws {DatabaseUnavailable} when there is none, or it cannot be read */
export async function openPlantReader(location: DatabaseLocation): Promise<PlantReader> {
  const database = await openReader(location, plantTables);
  return { list: (which) => listPlants(database, which), close: database.close };
}

async function* listPlants(database: DatabaseReader, which: 'current' | 'history'): AsyncGenerator<StoredPlant> {
  for await (const row of database.stream(which === 'history' ? history : current)) yield toPlant(row);
}

function toPlant({ id, plant }: PlantRow): StoredPlant {
  return { id, ...(JSON.parse(plant) as Omit<StoredPlant, 'id'>) }; // Written by `add`.
}
