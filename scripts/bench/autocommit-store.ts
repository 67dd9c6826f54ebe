import { DatabaseSync } from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { StoreLocation } from '../../src/store/open-store.ts';
import type { PlantStore } from '../../src/store/plant-store.ts';

/**
 * What the store is measured against: each plant a transaction of its own, as one would write it first, in a database
 * that the store has made. On SQLite, that is on the main thread; on PostgreSQL, with the pool of `pg` as it is: a
 * larger one gained nothing.
 */
export function openAutocommitStore(location: StoreLocation, url: string): PlantStore {
  return location.engine === 'sqlite' ? sqlite(location.path) : postgres(url);
}

function sqlite(path: string): PlantStore {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = FULL');
  const insert = database.prepare('INSERT INTO plants (id, plant) VALUES (?, ?)');
  return {
    add: ({ id, ...plant }) => Promise.resolve(insert.run(id, JSON.stringify(plant)).changes === 1),
    check: () => Promise.resolve(),
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}

function postgres(connectionString: string): PlantStore {
  const pool = new Pool({ connectionString });
  return {
    async add({ id, ...plant }) {
      const values = [randomUUID(), String(id), JSON.stringify(plant)];
      await pool.query({
        name: 'insert',
        text: 'INSERT INTO plants (key, id, created_at, place, plant) VALUES ($1, $2, clock_timestamp(), 1, $3)',
        values,
      });
      return true;
    },
    check: () => Promise.resolve(),
    close: () => pool.end(),
  };
}
