import {
  either,
  openDatabase,
  openReader,
  sql,
  table,
  type DatabaseLocation,
  type DatabaseOptions,
  type DatabaseReader,
} from '@contract-first/database';
import type { PlantReader, PlantStore, StoredPlant } from './plant-store.ts';
import { plantTables, type PlantRow } from './plant-tables.ts';

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

/** Opens the plant store for reading only. @throws {DatabaseUnavailable} if it does not exist or cannot be read */
export async function openPlantReader(location: DatabaseLocation): Promise<PlantReader> {
  const database = await openReader(location, plantTables);
  return { list: (which) => listPlants(database, which), close: database.close };
}

async function* listPlants(database: DatabaseReader, which: 'latest' | 'history'): AsyncGenerator<StoredPlant> {
  for await (const row of database.stream(which === 'history' ? history : current)) yield toPlant(row);
}

function toPlant({ id, plant }: PlantRow): StoredPlant {
  return { id, ...(JSON.parse(plant) as Omit<StoredPlant, 'id'>) }; // Written by `add`.
}
