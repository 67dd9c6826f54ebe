import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import type { DatabaseLocation } from '@contract-first/database';
import type { PlantStore, StoredPlant } from '../../../src/plants/plant-store.ts';

// The baselines of the store, in a database that the store has created.

type Add = PlantStore['add'];
type Waiting = {
  readonly plant: StoredPlant;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Adds each plant with its own commit: on SQLite on the main thread; on PostgreSQL with the default pool of `pg`, since
 * a larger pool was no faster.
 */
export function createAutocommit(location: DatabaseLocation, connectionString: string): Add {
  if (location.engine === 'sqlite') {
    const { insert } = openSqlite(location.path);
    return (plant) => Promise.resolve(insert(plant));
  }
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

/**
 * Adds plants with a simple group commit on the main thread: the plants of one turn of the event loop share a
 * transaction. It has no queue limit, no time limit and no protection against a slow disk.
 */
export function createGroupCommitByHand(path: string): Add {
  const { database, insert } = openSqlite(path);
  let waiting: Waiting[] = [];
  return (plant) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ plant, resolve, reject }) === 1) setImmediate(commit);
    });

  function commit(): void {
    const group = waiting;
    waiting = [];
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const { plant } of group) insert(plant);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { resolve } of group) resolve(true);
  }
}

function openSqlite(path: string) {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = FULL');
  const statement = database.prepare('INSERT INTO plants (id, plant) VALUES (?, ?)');
  const insert = ({ id, ...plant }: StoredPlant): boolean => statement.run(id, JSON.stringify(plant)).changes === 1;
  return { database, insert };
}
