import type { PlantReader, PlantStore, StoreOptions } from './plant-store.ts';
import { openSqliteReader } from './sqlite-reader.ts';
import { openSqliteStore } from './sqlite-store.ts';

/** Which store to use, and where it is. */
export type StoreLocation = { readonly engine: 'sqlite'; readonly path: string };

/**
 * Reads a `DATABASE_URL`.
 *
 * @returns the location, or every problem with it, a line each; none of them has a password in it
 */
export function parseStoreLocation(
  url: string,
): { readonly location: StoreLocation } | { readonly problems: readonly string[] } {
  const path = /^sqlite:(?:\/\/)?(?<path>.+)$/.exec(url)?.groups?.['path'];
  if (path !== undefined) return { location: { engine: 'sqlite', path } };
  return { problems: ['DATABASE_URL must be sqlite: and a path, like sqlite:./data/plants.db'] };
}

/** Where a store is, for people: without its password. */
export function describeLocation({ path }: StoreLocation): string {
  return path;
}

/**
 * Opens a store, creating what is missing.
 *
 * @throws {StoreUnavailable} when it cannot be used
 */
export function openStore({ path }: StoreLocation, options: StoreOptions): Promise<PlantStore> {
  return openSqliteStore(path, options);
}

/**
 * Opens a store for reading only; it must exist.
 *
 * @throws {StoreUnavailable} when it does not, or cannot be read
 */
export function openReader({ path }: StoreLocation): Promise<PlantReader> {
  return Promise.resolve(openSqliteReader(path));
}
