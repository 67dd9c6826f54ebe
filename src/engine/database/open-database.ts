import type { DatabaseOptions } from './database.ts';
import type { PlantReader, PlantStore } from '../../plants/plant-store.ts';
import { describePostgres, type PostgresLocation } from './postgres/location.ts';
import { openPostgresReader } from './postgres/reader.ts';
import { openPostgresStore } from './postgres/database.ts';
import { parsePostgresUrl } from './postgres/url.ts';
import { openSqliteReader } from './sqlite/reader.ts';
import { openSqliteStore } from './sqlite/database.ts';

/** Which store to use, and where it is. */
export type DatabaseLocation = { readonly engine: 'sqlite'; readonly path: string } | PostgresLocation;

/**
 * Reads a `DATABASE_URL`.
 *
 * @returns the location, or every problem with it, a line each; none of them repeats the URL, which may have a password
 */
export function parseDatabaseUrl(
  url: string,
): { readonly location: DatabaseLocation } | { readonly problems: readonly string[] } {
  if (/^postgres(?:ql)?:/.test(url)) return parsePostgresUrl(url);
  const path = /^sqlite:(?:\/\/)?(?<path>.*[^/])$/.exec(url)?.groups?.['path'];
  // To SQLite, `:memory:` is no file, and `file:` begins a URI.
  if (path !== undefined && !/^(?::|file:)/.test(path)) return { location: { engine: 'sqlite', path } };
  return { problems: ['DATABASE_URL must be like sqlite:./data/plants.db or postgres://user:password@host/database'] };
}

/** Where a store is, for people: without its password. */
export function describeLocation(location: DatabaseLocation): string {
  return location.engine === 'sqlite' ? location.path : describePostgres(location);
}

/**
 * Opens a store, creating what is missing.
 *
 * @throws {DatabaseUnavailable} when it cannot be used
 */
export function openStore(location: DatabaseLocation, options: DatabaseOptions): Promise<PlantStore> {
  return location.engine === 'sqlite' ? openSqliteStore(location.path, options) : openPostgresStore(location, options);
}

/**
 * Opens a store for reading only; it must exist.
 *
 * @throws {DatabaseUnavailable} when it does not, or cannot be read
 */
export async function openReader(location: DatabaseLocation): Promise<PlantReader> {
  return location.engine === 'sqlite' ? openSqliteReader(location.path) : openPostgresReader(location);
}
