import { identifierOf, type Definition } from '../database.ts';
import { IncompatibleDatabase } from './errors.ts';
import { escapeIdentifier, type Row, type Session } from './session.ts';

/** The schema of an application's tables. */
type ApplicationSchema = {
  /** The quoted schema. Statements qualify tables with it, so that objects created later cannot hide the tables. */
  readonly schema: string;
  /** Whether the tables exist. */
  readonly exists: boolean;
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

/** Returns the name of the table with the version of an application's tables. */
export function versionTableOf({ name }: Definition): string {
  return `${identifierOf(name)}_schema`;
}

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
  const tables = await session.query(TABLES, [[versionTable, ...definition.tables]], limitMs);

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
  if (store !== undefined) return { schema: quote(store['schema']), exists: true };

  const [first] = tables;
  if (first === undefined) {
    refuse(`has no schema that ${role} may use on its search_path: create one, or GRANT USAGE, CREATE ON SCHEMA`);
  }
  const other = tables.find(({ schema, name }) => schema === first['schema'] && name !== null)?.['name'];
  if (other !== undefined) refuse(`has a table ${String(other)} of another program`);
  requireTrust(first);
  return { schema: quote(first['schema']), exists: false };

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
