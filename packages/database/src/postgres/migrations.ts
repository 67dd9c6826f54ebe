import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf, type Definition } from '../database.ts';
import { isRaceOfCreations, NO_PERMISSION, IncompatibleDatabase, sqlStateOf } from './errors.ts';
import { findSchema, versionTableOf } from './schema.ts';
import type { Session } from './session.ts';

const RACES_MAX = 20;
const RACE_PAUSE_MS = 50;

/**
 * Creates the tables, or brings them up to date; any number of instances may do so at the same time.
 *
 * @param limitMs how long the database may take to say its version; to change it may take as long as it takes
 * @returns the schema they are in, quoted
 * @throws {IncompatibleDatabase} when the database is another program's, or a newer version's, or may not be changed
 */
export async function migrate(session: Session, definition: Definition, limitMs: number): Promise<string> {
  // The ordinary start needs neither the lock nor the permission to create tables.
  const { schema, exists } = await findSchema(session, definition, limitMs);
  const version = exists ? await readVersion(session, definition, schema, limitMs) : 0;
  if (version === definition.migrations.postgres.length) return schema;
  for (let races = 0; ; races += 1) {
    try {
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const schema = await migrateInTransaction(session, definition);
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

/** The version of the tables that are there. @throws {IncompatibleDatabase} when they are a newer version's */
export async function readVersion(
  session: Session,
  definition: Definition,
  schema: string,
  limitMs?: number,
): Promise<number> {
  const [row] = await session.query(`SELECT version FROM ${schema}.${versionTableOf(definition)}`, [], limitMs);
  const version = Number(row?.['version'] ?? 0);
  if (version > definition.migrations.postgres.length) {
    throw new IncompatibleDatabase('was written by a newer version of the service');
  }
  return version;
}

async function migrateInTransaction(session: Session, definition: Definition): Promise<string> {
  const migrations = definition.migrations.postgres;
  // However long others take that were here before, and an index takes to be built.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query('SELECT pg_advisory_xact_lock($1)', [numberOf(definition.tag)]);
  const { schema, exists } = await findSchema(session, definition);
  const versionTable = `${schema}.${versionTableOf(definition)}`;
  if (!exists) await createVersion(session, versionTable, schema);
  const version = await readVersion(session, definition, schema);
  for (const migration of migrations.slice(version)) await session.query(migration(schema));
  await session.query(`UPDATE ${versionTable} SET version = $1`, [migrations.length]);
  return schema;
}

async function createVersion(session: Session, table: string, schema: string): Promise<void> {
  try {
    await session.query(`CREATE TABLE ${table} (version integer PRIMARY KEY)`);
  } catch (error) {
    if (sqlStateOf(error) !== NO_PERMISSION) throw error;
    const recovery = `GRANT CREATE ON SCHEMA ${schema}, or a schema of its own, lets it create them`;
    throw new IncompatibleDatabase(
      `cannot be used: this user may not create tables in the schema ${schema}: ${recovery} (${NO_PERMISSION})`,
      { cause: error },
    );
  }
  await session.query(`INSERT INTO ${table} (version) VALUES (0)`);
}
