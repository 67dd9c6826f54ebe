import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database.ts';
import { isRaceOfCreations, NO_PERMISSION, sqlStateOf } from './errors.ts';
import { findPlace, type Place } from './schema.ts';
import type { Session } from './session.ts';

/**
 * What brings the tables from each version to the next: the first creates them. Only ever append: databases are at any
 * of these versions.
 *
 * No sequence: it would be the one spot that all writers of a distributed engine meet at. `key` is random, so such an
 * engine spreads the rows, or groups them by `id`; the order of creation is (created_at, place, key), `place` being the
 * place within one commit.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
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
];

// "plnt": the lock that instances which start at the same time wait for.
const ADVISORY_LOCK = 0x706c6e74;
const RACES_MAX = 20;
const RACE_PAUSE_MS = 50;

/**
 * Creates the tables, or brings them up to date; any number of instances may do so at the same time.
 *
 * @param limitMs how long the database may take to say its version; to change it may take as long as it takes
 * @returns the schema they are in, quoted
 * @throws {DatabaseUnavailable} when the database is another program's, or a newer version's, or may not be changed
 */
export async function migrate(session: Session, description: string, limitMs: number): Promise<string> {
  // The ordinary start needs neither the lock nor the permission to create tables.
  const place = await findPlace(session, description, limitMs);
  if ((await readVersion(session, place, description, limitMs)) === MIGRATIONS.length) return place.schema;
  for (let races = 0; ; races += 1) {
    try {
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const schema = await migrateInTransaction(session, description);
      await session.query('COMMIT');
      return schema;
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
 * @throws {DatabaseUnavailable} when they are a newer version's
 */
export async function readVersion(
  session: Session,
  { schema, exists }: Place,
  description: string,
  limitMs?: number,
): Promise<number> {
  if (!exists) return 0;
  const [row] = await session.query(`SELECT version FROM ${schema}.plant_store_schema`, [], limitMs);
  const version = Number(row?.['version'] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new DatabaseUnavailable(`the database ${description} was written by a newer version of the service`);
  }
  return version;
}

async function migrateInTransaction(session: Session, description: string): Promise<string> {
  // However long others take that were here before, and an index takes to be built.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  const place = await findPlace(session, description);
  const version = await readVersion(session, place, description);
  if (!place.exists) await createVersion(session, place.schema, description);
  for (const migration of MIGRATIONS.slice(version)) await session.query(migration(place.schema));
  await session.query(`UPDATE ${place.schema}.plant_store_schema SET version = $1`, [MIGRATIONS.length]);
  return place.schema;
}

async function createVersion(session: Session, schema: string, description: string): Promise<void> {
  try {
    await session.query(`CREATE TABLE ${schema}.plant_store_schema (version integer PRIMARY KEY)`);
  } catch (error) {
    if (sqlStateOf(error) !== NO_PERMISSION) throw error;
    const recovery = `GRANT CREATE ON SCHEMA ${schema}, or a schema of its own, lets it create them`;
    const problem = `cannot be used: this user may not create tables in the schema ${schema}: ${recovery} (${NO_PERMISSION})`;
    throw new DatabaseUnavailable(`the database ${description} ${problem}`, { cause: error });
  }
  await session.query(`INSERT INTO ${schema}.plant_store_schema (version) VALUES (0)`);
}
