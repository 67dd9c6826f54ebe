import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable, type PlantReader, type StoredPlant } from './plant-store.ts';
import { explain, openForReading } from './sqlite-file.ts';

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
    async *list(which) {
      try {
        yield* listPlants(database, which);
      } catch (error) {
        throw new StoreUnavailable(explain(path, error), { cause: error });
      }
    },
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}

function* listPlants(database: DatabaseSync, which: 'current' | 'history'): Generator<StoredPlant> {
  const statement = database.prepare(LIST[which]);
  statement.setReadBigInts(true);
  for (const row of statement.iterate()) {
    const { id, plant } = row as { id: bigint; plant: string };
    yield { id, ...(JSON.parse(plant) as Omit<StoredPlant, 'id'>) };
  }
}
