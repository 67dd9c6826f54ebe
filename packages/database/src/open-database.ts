import pino from 'pino';
import {
  type BatchDatabase,
  type BatchDefinition,
  type CounterOptions,
  type Database,
  type DatabaseOptions,
  type DatabaseReader,
  DatabaseUnavailable,
  type Definition,
  type SharedCounter,
  TextNotStorable,
} from './database.ts';
import { describePostgres, parsePostgresUrl, type PostgresLocation } from './postgres/location.ts';
import { addSpans } from './spans.ts';
import type { Value } from './sql.ts';
import { openSqliteDatabase } from './sqlite/database.ts';
import { openSqliteReader } from './sqlite/reader.ts';

// The modules for PostgreSQL are loaded on demand, since a service with SQLite does not need the driver, a tenth of all
// modules.

// A reader serves a single command, which reports its errors.
const READER: DatabaseOptions = {
  poolSize: 1,
  timeoutMs: 10_000,
  queueLimitBytes: 67_108_864,
  log: pino({ level: 'silent' }),
};

/** The kind and the location of a database. */
export type DatabaseLocation = { readonly engine: 'sqlite'; readonly path: string } | PostgresLocation;

/**
 * Reads a `DATABASE_URL`.
 *
 * @returns the location, or every problem, one line each; problems never quote the URL, which may have a password
 */
export function parseDatabaseUrl(
  url: string,
): { readonly location: DatabaseLocation } | { readonly problems: readonly string[] } {
  if (/^postgres(?:ql)?:/.test(url)) return parsePostgresUrl(url);
  const path = /^sqlite:(?:\/\/)?(?<path>.*[^/])$/.exec(url)?.groups?.['path'];
  // SQLite does not treat `:memory:` and `file:` as paths.
  if (path !== undefined && !/^(?::|file:)/.test(path)) return { location: { engine: 'sqlite', path } };
  return { problems: ['DATABASE_URL must be like sqlite:./data/service.db or postgres://user:password@host/database'] };
}

/** Describes a location to operators, without its password. */
function describeLocation(location: DatabaseLocation): string {
  return location.engine === 'sqlite' ? location.path : describePostgres(location);
}

/**
 * Opens the database of an application. Creates it if it does not exist.
 *
 * @throws {DatabaseUnavailable} when the database cannot be used
 */
export function openDatabase<Row extends Readonly<Record<string, Value>>>(
  location: DatabaseLocation,
  definition: BatchDefinition<Row>,
  options: DatabaseOptions,
): Promise<BatchDatabase<Row>>;
export function openDatabase(
  location: DatabaseLocation,
  definition: Definition,
  options: DatabaseOptions,
): Promise<Database>;
export async function openDatabase<Row extends Readonly<Record<string, Value>>>(
  location: DatabaseLocation,
  definition: Definition | BatchDefinition<Row>,
  options: DatabaseOptions,
): Promise<Database> {
  const database = await (location.engine === 'sqlite'
    ? openSqliteDatabase(location.path, definition, options)
    : (await import('./postgres/database.ts')).openPostgresDatabase(location, definition, options));
  return addSpans(database, definition, location.engine);
}

/**
 * Opens an existing database of an application for reading only.
 *
 * @throws {DatabaseUnavailable} when the database does not exist or cannot be read
 */
export async function openReader(location: DatabaseLocation, definition: Definition): Promise<DatabaseReader> {
  return location.engine === 'sqlite'
    ? openSqliteReader(location.path, definition, READER)
    : (await import('./postgres/reader.ts')).openPostgresReader(location, definition, READER);
}

/**
 * Opens a counter that all instances on a PostgreSQL database share. Creates its table if it does not exist. Returns
 * `undefined` for SQLite, which would sync its file for every count.
 *
 * @throws {DatabaseUnavailable} when the database cannot be used
 */
export async function openCounter(
  location: DatabaseLocation,
  counter: CounterOptions,
  options: DatabaseOptions,
): Promise<SharedCounter | undefined> {
  if (location.engine === 'sqlite') return undefined;
  return (await import('./postgres/counter.ts')).openPostgresCounter(location, counter, options);
}

/**
 * Creates a driver for SQLite and PostgreSQL: a `DatabaseDriver` of `@contract-first/engine`.
 *
 * @param defaultUrl the default `DATABASE_URL`: `sqlite:./data/service.db`
 */
export function databaseAt(defaultUrl: string) {
  return {
    defaultUrl,
    parseUrl: parseDatabaseUrl,
    describe: describeLocation,
    isUnavailable: (error: unknown): error is DatabaseUnavailable => error instanceof DatabaseUnavailable,
    isTextNotStorable: (error: unknown): boolean => error instanceof TextNotStorable,
    openCounter,
  };
}
