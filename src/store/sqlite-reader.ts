import type { DatabaseSync } from 'node:sqlite';
import type { PlantReader, StoredPlant } from './plant-store.ts';
import { openForReading } from './sqlite-file.ts';

const LIST = {
  history: 'SELECT id, plant FROM plants ORDER BY seq',
  current: `SELECT id, plant FROM plants AS this
    WHERE NOT EXISTS (SELECT 1 FROM plants AS later WHERE later.id = this.id AND later.seq > this.seq)
    ORDER BY seq`,
};

/**
 * Opens the embedded store for reading.
 *
 * @throws {StoreUnavailable} when there is no plant store at the path
 */
export function openSqliteReader(path: string): PlantReader {
  const database = openForReading(path);
  return {
    list: (which) => listPlants(database, which),
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}

async function* listPlants(database: DatabaseSync, which: 'current' | 'history'): AsyncGenerator<StoredPlant> {
  const statement = database.prepare(LIST[which]);
  statement.setReadBigInts(true);
  for (const row of statement.iterate()) {
    const { id, plant } = row as { id: bigint; plant: string };
    yield { id, ...(JSON.parse(plant) as Omit<StoredPlant, 'id'>) };
  }
}
