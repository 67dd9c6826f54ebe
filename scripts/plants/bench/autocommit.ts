import { DatabaseSync } from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { DatabaseLocation } from '../../../src/engine/database/open-database.ts';
import type { PlantStore } from '../../../src/plants/plant-store.ts';

type Add = PlantStore['add'];

/**
 * What the store is measured against: each plant a transaction of its own, as one would write it first, in a database
 * that the store has made. On SQLite, that is on the main thread; on PostgreSQL, with the pool of `pg` as it is: a
 * larger one gained nothing.
 */
export function createAutocommit(location: DatabaseLocation, url: string): Add {
  return location.engine === 'sqlite' ? sqlite(location.path) : postgres(url);
}

function sqlite(path: string): Add {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = FULL');
  const insert = database.prepare('INSERT INTO plants (id, plant) VALUES (?, ?)');
  return ({ id, ...plant }) => Promise.resolve(insert.run(id, JSON.stringify(plant)).changes === 1);
}

function postgres(connectionString: string): Add {
  const pool = new Pool({ connectionString });
  return async ({ id, ...plant }) => {
    const values = [randomUUID(), String(id), JSON.stringify(plant)];
    await pool.query({
      name: 'insert',
      text: 'INSERT INTO plants (key, id, created_at, place, plant) VALUES ($1, $2, clock_timestamp(), 1, $3)',
      values,
    });
    return true;
  };
}
