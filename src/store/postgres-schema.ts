import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from './plant-store.ts';
import { isRaceOfCreations } from './postgres-errors.ts';
import type { Session } from './postgres-session.ts';

/**
 * What brings the tables from each version to the next: the first creates them. Only ever append: databases are at any
 * of these versions.
 *
 * No sequence: it would be the one spot that all writers of a distributed engine meet at. `key` is random, so such an
 * engine spreads the rows, or groups them by `id`; the order of creation is (created_at, place, key), `place` being the
 * place within one commit.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE plants (
     key uuid NOT NULL,
     id bigint NOT NULL,
     created_at timestamptz NOT NULL,
     place integer NOT NULL,
     plant text NOT NULL,
     PRIMARY KEY (key, id)
   );
   CREATE INDEX plants_by_id ON plants (id, created_at)`,
];

// "plnt": the lock that instances which start at the same time wait for.
const ADVISORY_LOCK = 0x706c6e74;
const RACES_MAX = 20;
const RACE_PAUSE_MS = 50;

// Not to_regclass: it may answer from a cache of before the lock was waited for.
const TABLES = `
  SELECT current_setting('server_encoding') AS encoding,
    (SELECT count(*) FROM pg_class WHERE relname = 'plant_store_schema' AND relnamespace = ours.oid) AS ours,
    (SELECT count(*) FROM pg_class WHERE relname = 'plants' AND relnamespace = ours.oid) AS plants
  FROM (SELECT 1) AS one LEFT JOIN pg_namespace AS ours ON ours.nspname = current_schema()`;

/**
 * Creates the tables, or brings them up to date; any number of instances may do so at the same time.
 *
 * @param limitMs how long the database may take to say its version; to change it may take as long as it takes
 * @throws {StoreUnavailable} when the database is another program's, or a newer version's, or may not be changed
 */
export async function migrate(session: Session, description: string, limitMs: number): Promise<void> {
  // The ordinary start needs neither the lock nor the permission to create tables.
  if ((await readVersion(session, description, limitMs)) === MIGRATIONS.length) return;
  for (let races = 0; ; races += 1) {
    try {
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      await migrateInTransaction(session, description);
      await session.query('COMMIT');
      return;
    } catch (error) {
      if (!session.isLost()) await session.query('ROLLBACK');
      // An engine that has no advisory locks takes the statement and lets everybody in.
      if (!isRaceOfCreations(error) || races === RACES_MAX) throw error;
      await sleep(RACE_PAUSE_MS * Math.random());
    }
  }
}

/**
 * The version of the tables; 0 when there are none yet.
 *
 * @throws {StoreUnavailable} when the database is another program's, or a newer version's
 */
export async function readVersion(session: Session, description: string, limitMs?: number): Promise<number> {
  const [tables] = await session.query(TABLES, [], limitMs);
  if (tables?.['encoding'] !== 'UTF8') {
    throw new StoreUnavailable(`the database ${description} must have the encoding UTF8`);
  }
  if (tables['ours'] === '0') {
    if (tables['plants'] === '0') return 0;
    throw new StoreUnavailable(`the database ${description} has a table plants of another program`);
  }
  const [row] = await session.query('SELECT version FROM plant_store_schema', [], limitMs);
  const version = Number(row?.['version'] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new StoreUnavailable(`the database ${description} was written by a newer version of the service`);
  }
  return version;
}

async function migrateInTransaction(session: Session, description: string): Promise<void> {
  // However long others take that were here before, and an index takes to be built.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  const version = await readVersion(session, description);
  if (version === 0) {
    await session.query('CREATE TABLE plant_store_schema (version integer PRIMARY KEY)');
    await session.query('INSERT INTO plant_store_schema (version) VALUES (0)');
  }
  for (const migration of MIGRATIONS.slice(version)) await session.query(migration);
  await session.query('UPDATE plant_store_schema SET version = $1', [MIGRATIONS.length]);
}
