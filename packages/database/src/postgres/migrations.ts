import { setTimeout as sleep } from 'node:timers/promises';
import { type Definition, tagNumberOf, versionTableOf } from '../database.ts';
import { describeChange, recordOf, sqlOf } from '../migrations.ts';
import { onceTableOf, onceTableSql } from '../once.ts';
import { IncompatibleDatabase, isRaceOfCreations, NO_PERMISSION, sqlStateOf } from './errors.ts';
import { escapeIdentifier, type Row, type Session } from './session.ts';

const RACES_MAX = 20;
const RACE_PAUSE_MS = 50;

/** The version of existing tables. */
type State = {
  readonly version: number;
  /** The record of the applied migrations. A database of an earlier version has none. */
  readonly record: string | null | undefined;
};

/**
 * Creates or migrates the tables. Several instances may do so at the same time.
 *
 * @param limitMs the time limit for reading the version; migrations have no time limit
 * @param once whether there is a table for the results of `once`
 * @returns the quoted schema of the tables
 * @throws {IncompatibleDatabase} when the database belongs to another program or a newer version, an applied migration
 *   was changed, or permission is denied
 */
export async function migrate(
  session: Session,
  definition: Definition,
  limitMs: number,
  once = false,
): Promise<string> {
  const migrations = definition.migrations.postgres;
  // If the tables are up to date, neither the lock nor the permission to create tables is needed.
  const { schema, exists, hasOnce } = await findSchema(session, definition, limitMs);
  const state = exists ? await readState(session, definition, schema, limitMs) : undefined;
  const isUpToDate = state?.version === migrations.length && (hasOnce || !once);
  if (isUpToDate && state.record === recordOf(migrations)) return schema;
  for (let races = 0; ; races += 1) {
    try {
      await session.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const schema = await migrateInTransaction(session, definition, once);
      await session.query('COMMIT');
      return schema;
    } catch (error) {
      if (!session.isLost()) await session.query('ROLLBACK');
      // Only the owner of the table can add the record of the migrations.
      if (isUpToDate && sqlStateOf(error) === NO_PERMISSION) return schema;
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
export async function readState(
  session: Session,
  definition: Definition,
  schema: string,
  limitMs?: number,
): Promise<State> {
  // All columns, since the table of an earlier version has no record.
  const [row] = await session.query(`SELECT * FROM ${schema}.${versionTableOf(definition)}`, [], limitMs);
  const version = Number(row?.['version'] ?? 0);
  if (version > definition.migrations.postgres.length) {
    throw new IncompatibleDatabase('was written by a newer version of the service');
  }
  return { version, record: row?.['applied'] };
}

async function migrateInTransaction(session: Session, definition: Definition, once: boolean): Promise<string> {
  const migrations = definition.migrations.postgres;
  // Waiting for other instances and building an index may take long.
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query('SELECT pg_advisory_xact_lock($1)', [tagNumberOf(definition.tag)]);
  const { schema, exists, hasOnce } = await findSchema(session, definition);
  const versionTable = `${schema}.${versionTableOf(definition)}`;
  if (!exists) await createVersion(session, versionTable, schema);
  const { version, record } = await readState(session, definition, schema);
  const change = describeChange(migrations, record, `drop its tables and ${versionTableOf(definition)}, with all data`);
  if (change !== undefined) throw new IncompatibleDatabase(`cannot be used: its ${change}`);
  // The migrations of both databases do not name the schema.
  await session.query("SELECT set_config('search_path', $1 || ', ' || current_setting('search_path'), true)", [schema]);
  for (const migration of migrations.slice(version)) await session.query(sqlOf(migration, schema));
  await session.query(`UPDATE ${versionTable} SET version = $1`, [migrations.length]);
  if (record !== recordOf(migrations)) {
    await session.query(`ALTER TABLE ${versionTable} ADD COLUMN IF NOT EXISTS applied text`);
    await session.query(`UPDATE ${versionTable} SET applied = $1`, [recordOf(migrations)]);
  }
  if (once && !hasOnce) await session.query(onceTableSql(definition, { schema }));
  return schema;
}

async function createVersion(session: Session, table: string, schema: string): Promise<void> {
  try {
    await session.query(`CREATE TABLE ${table} (version integer PRIMARY KEY, applied text)`);
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

/** The schema of an application's tables. */
type ApplicationSchema = {
  /** The quoted schema. Statements qualify tables with it, so that objects created later cannot hide the tables. */
  readonly schema: string;
  /** Whether the tables exist. */
  readonly exists: boolean;
  /** Whether the table for the results of `once` exists. */
  readonly hasOnce: boolean;
};

const ENCODING = "SELECT current_setting('server_encoding') AS encoding, current_user AS role";

// Only granted memberships count: a superuser is an implicit member of every role. `pg_database_owner` is the owner of
// the database. `public` may belong to the superuser who installed the server. In engines without owners, owners are
// null.
//
// Not to_regclass: its result may come from a cache filled before the lock was acquired.
const TABLES = `
  WITH RECURSIVE memberships (role) AS (
    SELECT oid FROM pg_roles WHERE rolname = current_user
    UNION
    SELECT roleid FROM pg_auth_members JOIN memberships ON member = role
  ), trusted (role) AS (
    SELECT role FROM memberships
    UNION SELECT oid FROM pg_roles WHERE rolsuper OR rolname = 'pg_database_owner'
    UNION SELECT datdba FROM pg_database WHERE datname = current_database()
  )
  SELECT nspname AS schema, relname AS name,
    pg_get_userbyid(nspowner) AS schema_owner, pg_get_userbyid(relowner) AS owner,
    nspname = 'public' OR nspowner IN (SELECT role FROM trusted) AS is_schema_trusted,
    relowner IN (SELECT role FROM trusted) AS is_trusted
  FROM unnest(current_schemas(false)) WITH ORDINALITY AS path (schema, place)
  JOIN pg_namespace ON nspname = path.schema
  LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = ANY($1::text[])
  ORDER BY path.place, relname`;

/**
 * Finds the schema of the application's tables in the search path. If the tables do not exist, returns the first
 * schema, in which to create them.
 *
 * @throws {IncompatibleDatabase} when two schemas have the tables, or the tables belong to another program or to an
 *   untrusted role
 */
export async function findSchema(
  session: Session,
  definition: Definition,
  limitMs?: number,
): Promise<ApplicationSchema> {
  const versionTable = versionTableOf(definition);
  const [server] = await session.query(ENCODING, [], limitMs);
  if (server?.['encoding'] !== 'UTF8') refuse('must have the encoding UTF8');
  const role = quote(server['role']);
  const onceTable = onceTableOf(definition);
  const tables = await session.query(TABLES, [[versionTable, onceTable, ...definition.tables]], limitMs);

  const schemas = new Set(tables.filter(({ name }) => name === versionTable).map(({ schema }) => schema));
  const ours = tables.filter(({ schema }) => schemas.has(schema ?? null));
  for (const table of ours) requireTrust(table);
  if (schemas.size > 1) {
    const names = [...schemas].map(quote).join(' and ');
    refuse(
      `has several ${definition.name}s, in the schemas ${names}: keep the rows of one, and say which it is by ` +
        `ALTER ROLE ${role} SET search_path = <schema>, or rename or drop the others`,
    );
  }
  const [store] = ours;
  if (store !== undefined) {
    return { schema: quote(store['schema']), exists: true, hasOnce: ours.some(({ name }) => name === onceTable) };
  }

  const [first] = tables;
  if (first === undefined) {
    refuse(`has no schema that ${role} may use on its search_path: create one, or GRANT USAGE, CREATE ON SCHEMA`);
  }
  const other = tables.find(({ schema, name }) => schema === first['schema'] && name !== null)?.['name'];
  if (other !== undefined) refuse(`has a table ${String(other)} of another program`);
  requireTrust(first);
  return { schema: quote(first['schema']), exists: false, hasOnce: false };

  /** Rejects a table that another role could change or replace. */
  function requireTrust(table: Row): void {
    const schema = quote(table['schema']);
    const name = `${schema}.${String(table['name'])}`;
    if (table['is_schema_trusted'] === 'f') refuseOwner('SCHEMA', schema, table['schema_owner']);
    if (table['is_trusted'] === 'f') refuseOwner('TABLE', name, table['owner']);
  }

  function refuseOwner(kind: 'SCHEMA' | 'TABLE', name: string, owner: string | null | undefined): never {
    refuse(
      `has a ${kind.toLowerCase()} ${name} that belongs to ${quote(owner)}, and ${role} is not a member of that role: ` +
        `ALTER ${kind} ${name} OWNER TO ${role}, or GRANT ${quote(owner)} TO ${role} if it can be trusted`,
    );
  }

  function refuse(problem: string): never {
    throw new IncompatibleDatabase(problem);
  }
}

function quote(name: string | null | undefined): string {
  return escapeIdentifier(name ?? '');
}
