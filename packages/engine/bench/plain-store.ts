import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import type { DatabaseLocation } from '@contract-first/database';
import type { GuestBook, Guest } from '@contract-first/testing/fixture/src/guests/guest-book.ts';

// The baselines of the store, in a database that the store has created.

type Add = GuestBook['add'];
type Waiting = {
  readonly guest: Guest;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Adds each guest with its own commit: on SQLite on the main thread; on PostgreSQL with the default pool of `pg`, since
 * a larger pool was no faster.
 */
export function createAutocommit(location: DatabaseLocation, connectionString: string): Add {
  if (location.engine === 'sqlite') {
    const { insert } = openSqlite(location.path);
    return (guest) => Promise.resolve(insert(guest));
  }
  const pool = new Pool({ connectionString });
  return async ({ id, ...guest }) => {
    const values = [randomUUID(), String(id), JSON.stringify(guest)];
    await pool.query({
      name: 'insert',
      text: 'INSERT INTO guests (key, id, created_at, place, guest) VALUES ($1, $2, clock_timestamp(), 1, $3)',
      values,
    });
    return true;
  };
}

/**
 * Adds guests with a simple group commit on the main thread: the guests of one turn of the event loop share a
 * transaction. It has no queue limit, no time limit and no protection against a slow disk.
 */
export function createGroupCommitByHand(path: string): Add {
  const { database, insert } = openSqlite(path);
  let waiting: Waiting[] = [];
  return (guest) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ guest, resolve, reject }) === 1) setImmediate(commit);
    });

  function commit(): void {
    const group = waiting;
    waiting = [];
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const { guest } of group) insert(guest);
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
  const statement = database.prepare('INSERT INTO guests (id, guest) VALUES (?, ?)');
  const insert = ({ id, ...guest }: Guest): boolean => statement.run(id, JSON.stringify(guest)).changes === 1;
  return { database, insert };
}
