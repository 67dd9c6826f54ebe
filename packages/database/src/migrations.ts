import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** SQL from one version of the tables to the next. */
export type Migration = string | SqlFile;

/** A migration in a file. */
export type SqlFile = { readonly name: string; readonly sql: string };

/** A migration of PostgreSQL: its tables need no schema. @param schema the quoted schema of the tables */
export type PostgresMigration = Migration | ((schema: string) => string);

/** The SQL from each version to the next. Append only, since databases may have any of these versions. */
export type Migrations = {
  readonly sqlite: readonly Migration[];
  readonly postgres: readonly PostgresMigration[];
};

const FILE = /^[^.]+(?:\.(?<engine>sqlite|postgres))?\.sql$/;

/**
 * Reads the migrations in a folder, in the order of their names: `1-beds.sql` is for both databases,
 * `2-photos.sqlite.sql` and `2-photos.postgres.sql` are for one.
 *
 * @throws {Error} when the folder cannot be read, or a file has another name
 */
export function migrationsIn(folder: URL): {
  readonly sqlite: readonly SqlFile[];
  readonly postgres: readonly SqlFile[];
} {
  const path = fileURLToPath(folder);
  const names = readdirSync(path)
    .filter((name) => name.endsWith('.sql'))
    .sort(compareNames);
  const unknown = names.find((name) => !FILE.test(name));
  if (unknown !== undefined) {
    throw new Error(`${join(path, unknown)} must be named like 1-name.sql, 1-name.sqlite.sql or 1-name.postgres.sql`);
  }
  const filesFor = (engine: string): readonly SqlFile[] =>
    names
      .filter((name) => (FILE.exec(name)?.groups?.['engine'] ?? engine) === engine)
      .map((name) => ({ name, sql: readFileSync(join(path, name), 'utf8') }));
  return { sqlite: filesFor('sqlite'), postgres: filesFor('postgres') };
}

/** Compares names, and numbers in them by value: `9-a.sql` is before `10-a.sql`. */
function compareNames(one: string, other: string): number {
  const [first = NaN, second = NaN] = [one, other].map((name) => Number(/^\d+/.exec(name)?.[0] ?? NaN));
  // Creating a collator takes 10 ms, and most names begin with different numbers.
  return first - second || new Intl.Collator('en', { numeric: true }).compare(one, other);
}

/** Returns the SQL text of a migration. */
export function sqlOf(migration: PostgresMigration, schema: string): string {
  if (typeof migration === 'function') return migration(schema);
  return typeof migration === 'string' ? migration : migration.sql;
}

/** The record of an applied migration in its database. The name is empty if it was in no file. */
type Applied = { readonly name: string; readonly checksum: string };

/** Returns the record of migrations, to be stored in their database. */
export function recordOf(migrations: readonly PostgresMigration[]): string {
  return JSON.stringify(migrations.map((migration) => ({ name: nameOf(migration), checksum: checksumOf(migration) })));
}

/**
 * Compares the applied migrations with their record. Migrations that were applied by a version without a record count
 * as unchanged.
 *
 * @param recovery how to start with an empty database, for the message
 * @returns a message about the first changed migration; `undefined` if none was changed
 */
export function describeChange(
  migrations: readonly PostgresMigration[],
  record: string | null | undefined,
  recovery: string,
): string | undefined {
  const applied = JSON.parse(record ?? '[]') as readonly Applied[]; // Written by `recordOf`.
  for (const [index, { name, checksum }] of applied.entries()) {
    const migration = migrations[index];
    if (migration === undefined || checksumOf(migration) === checksum) continue;
    const present = nameOf(migration);
    const isReplaced = present !== name && present !== '' && name !== '';
    const change = isReplaced
      ? `migration ${String(index + 1)} is now ${present}, and was ${name} when it was applied`
      : `migration ${present || String(index + 1)} was changed after it was applied`;
    return `${change}; an applied migration is not run again: restore it and append a migration, or ${recovery}`;
  }
  return undefined;
}

function nameOf(migration: PostgresMigration): string {
  return typeof migration === 'object' ? migration.name : '';
}

/**
 * Returns the checksum of a migration. Ignores white space and the schema, so that a migration can be moved to a file.
 */
function checksumOf(migration: PostgresMigration): string {
  const schema = '"schema"';
  const text = sqlOf(migration, schema).replaceAll(`${schema}.`, '');
  return hash('sha256', text.replaceAll(/[\s;]+/g, ''));
}
