import type { PlantReader, PlantStore } from './plant-store.ts';
import { openSqliteReader, openSqliteStore } from './sqlite-store.ts';

/** Which store to use, and where it is. */
export type StoreLocation = { readonly engine: 'sqlite'; readonly path: string };

/**
 * Reads a `DATABASE_URL`.
 *
 * @returns `undefined` when no store has this form of address
 */
export function parseStoreLocation(url: string): StoreLocation | undefined {
  const path = /^sqlite:(?:\/\/)?(?<path>.+)$/.exec(url)?.groups?.['path'];
  return path === undefined ? undefined : { engine: 'sqlite', path };
}

/**
 * Opens a store, creating what is missing.
 *
 * @throws {StoreUnavailable} when it cannot be used
 */
export function openStore({ path }: StoreLocation): PlantStore {
  return openSqliteStore(path);
}

/**
 * Opens a store for reading only; it must exist.
 *
 * @throws {StoreUnavailable} when it does not, or cannot be read
 */
export function openReader({ path }: StoreLocation): PlantReader {
  return openSqliteReader(path);
}
