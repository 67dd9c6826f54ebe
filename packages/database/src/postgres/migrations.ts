import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf, type Definition } from '../database.ts';
import { isRaceOfCreations, NO_PERMISSION, IncompatibleDatabase, sqlStateOf } from './errors.ts';
import { findSchema, versionTableOf } from './schema.ts';
import type { Session } from './session.ts';

const RACES_MAX = 20;
const RACE_PAUSE_MS = 50;

/**
 * Creates or migrates the tables. Several instances may do so at the same time.
 *
 * @param limitMs the time limit for reading the version; migrations have no time limit
 * @returns the quoted schema of the tables
 * @throws {IncompatibleDatabase} when the database belongs to another program or a newer version, or permission is
 *   denied
 */
export async function migrate(session: Session, definition: Definition, limitMs: number): Promise<string> {
  // If the tables are up to date, neither the lock nor the permission to create tables is needed.
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
      // Some engines accept the statement for advisory locks but do not lock.
      if (!isRaceOfCreations(error) || races === RACES_MAX) throw error;
      await sleep(RACE_PAUSE_MS * Math.random());
    }
  }
}

/**
 * Returns the version of the existing tables.
 *
 * @throws {IncompatibleDatabase} when the version is newer than this program
 */
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
  // Waiting for other instances and building an index may take long.
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
