import type { DatabaseSync } from 'node:sqlite';
import type { PlantReader, StoredPlant } from '../../../plants/plant-store.ts';
import { toPlant } from '../../../plants/plant-text.ts';
import { openForReading, unavailable } from './file.ts';

// Read in pages, for as long as a statement is open, the write-ahead log can only grow. As nothing is ever changed, what
// was there at the beginning stays a snapshot.
const PAGE_ROWS = 1_000;
const LIST = {
  history: `SELECT seq, id, plant FROM plants WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${String(PAGE_ROWS)}`,
  current: `SELECT seq, id, plant FROM plants AS this
    WHERE seq > ?1 AND seq <= ?2
      AND NOT EXISTS (SELECT 1 FROM plants AS later WHERE later.id = this.id AND later.seq > this.seq AND later.seq <= ?2)
    ORDER BY seq LIMIT ${String(PAGE_ROWS)}`,
};

/**
 * Opens the embedded store for reading.
 *
 * @throws {DatabaseUnavailable} when there is no plant store at the path
 */
export function openSqliteReader(path: string): PlantReader {
  const database = openForReading(path);
  return {
    async *list(which) {
      try {
        yield* listPlants(database, which);
      } catch (error) {
        throw unavailable(path, error);
      }
    },
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}

function* listPlants(database: DatabaseSync, which: 'current' | 'history'): Generator<StoredPlant> {
  const last = database.prepare('SELECT coalesce(max(seq), 0) AS seq FROM plants').get()?.['seq'] as number;
  const statement = database.prepare(LIST[which]);
  statement.setReadBigInts(true);
  let seq = 0n;
  for (let rows; rows === undefined || rows.length === PAGE_ROWS;) {
    rows = statement.all(seq, last) as { seq: bigint; id: bigint; plant: string }[];
    for (const { id, plant } of rows) yield toPlant(id, plant);
    seq = rows.at(-1)?.seq ?? seq;
  }
}
