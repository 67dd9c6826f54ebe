import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, numberOf, type Definition } from '../database.ts';
import { isRaceOfCreations, NO_PERMISSION, sqlStateOf } from './errors.ts';
import { findPlace, versionTableOf, type Place } from './schema.ts';
import type { Session } from './session.ts';

const RACES_MAX = 20;
const RACE_PAUSE_MS = 50;

/**
 * Creates the tables, or brings them up to date; any number of instances may do so at the same time.
 *
 * @param limitMs how long the database may take to say its version; to change it may take as long as it takes
 * @returns the schema they are in, quoted
 * @throws {DatabaseUnavailable} when the database is another program's, or a newer version's, or may not be changed
 */
export async function migrate<Row>(
  session: Session,
  definition: Definition<Row>,
  description: string,
  limitMs: number,
): Promise<string> {
  // The ordinary start needs neither the lock nor the permission to create tables.
  const place = await findPlace(session, definition, description, limitMs);
  if ((await readVersion(session, definition, place, description, limitMs)) === definition.migrations.postgres.length)
    return place.schema;
  for (let races = 0; ; races += 1) {
    try {
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const schema = await migrateInTransaction(session, definition, description);
      await session.query('COMMIT');
      return schema;
    } catch (error) {
      if (!session.isLost()) await session.query('ROLLBACK');
      // An engine without advisory locks accepts the statement and locks nothing.
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
export async function readVersion<Row>(
  session: Session,
  definition: Definition<Row>,
  { schema, exists }: Place,
  description: string,
  limitMs?: number,
): Promise<number> {
  if (!exists) return 0;
  const [row] = await session.query(`SELECT version FROM ${schema}.${versionTableOf(definition)}`, [], limitMs);
  const version = Number(row?.['version'] ?? 0);
  if (version > definition.migrations.postgres.length) {
    throw new DatabaseUnavailable(`the database ${description} was written by a newer version of the service`);
  }
  return version;
}

async function migrateInTransaction<Row>(
  session: Session,
  definition: Definition<Row>,
  description: string,
): Promise<string> {
  const migrations = definition.migrations.postgres;
  const versionTable = versionTableOf(definition);
  // However long others take that were here before, and an index takes to be built.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query('SELECT pg_advisory_xact_lock($1)', [numberOf(definition.tag)]);
  const place = await findPlace(session, definition, description);
  const version = await readVersion(session, definition, place, description);
  if (!place.exists) await createVersion(session, `${place.schema}.${versionTable}`, place.schema, description);
  for (const migration of migrations.slice(version)) await session.query(migration(place.schema));
  await session.query(`UPDATE ${place.schema}.${versionTable} SET version = $1`, [migrations.length]);
  return place.schema;
}

async function createVersion(session: Session, table: string, schema: string, description: string): Promise<void> {
  try {
    await session.query(`CREATE TABLE ${table} (version integer PRIMARY KEY)`);
  } catch (error) {
    if (sqlStateOf(error) !== NO_PERMISSION) throw error;
    const recovery = `GRANT CREATE ON SCHEMA ${schema}, or a schema of its own, lets it create them`;
    const problem = `cannot be used: this user may not create tables in the schema ${schema}: ${recovery} (${NO_PERMISSION})`;
    throw new DatabaseUnavailable(`the database ${description} ${problem}`, { cause: error });
  }
  await session.query(`INSERT INTO ${table} (version) VALUES (0)`);
}
