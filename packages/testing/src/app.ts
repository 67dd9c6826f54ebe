import type { Contract } from '@contract-first/contract';
import type { DatabaseOptions } from '@contract-first/database';
import { stringifyJson } from '@contract-first/engine';
import type { LoadSheddingLimits } from '../../engine/src/http/accept/load-shedding.ts';
import { openGuestBook, openGuestReader, type Guest, type GuestBook } from '../fixture/src/guests/guest-book.ts';
import { createHandlers } from '../fixture/src/guests/handlers.ts';
import { application } from '../fixture/src/service.ts';
import { cleanUp, temporaryDatabase } from './cleanup.ts';
import { DATABASE_OPTIONS, locationOf } from './database.ts';
import { serveApplication, type Overrides, type ServedApp } from './serve-application.ts';

export { TOKEN, type Overrides, type ServedApp, type TestServer } from './serve-application.ts';

// The guest book, the application in `fixture`, and its store.

export type TestStore = GuestBook & {
  /** The `DATABASE_URL` of the store. */
  readonly url: string;
  readonly list: () => Promise<Guest[]>;
};

/** The served guest book. */
export type TestApp = ServedApp & {
  readonly store: TestStore;
  /** Returns all guests. */
  readonly history: () => Promise<Guest[]>;
};

/** Opens a store that is closed when the test ends. */
export async function openTestStore(
  url = temporaryDatabase(),
  overrides: Partial<DatabaseOptions> = {},
): Promise<TestStore> {
  const store = await openGuestBook(locationOf(url), { ...DATABASE_OPTIONS, ...overrides });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= store.close());
  cleanUp(close);
  return { ...store, close, url, list: () => listGuests(url) };
}

/** Opens a store for reading. */
export async function openTestReader(url: string) {
  return openGuestReader(locationOf(url));
}

/** Returns the guests of a store. */
export async function listGuests(url: string): Promise<Guest[]> {
  const reader = await openTestReader(url);
  try {
    return await Array.fromAsync(reader.list());
  } finally {
    await reader.close();
  }
}

/** Returns the guests of a store as NDJSON. */
export async function readHistory(url: string): Promise<string> {
  return (await listGuests(url)).map((guest) => `${stringifyJson(guest)}\n`).join('');
}

/** Composes the service of another contract, which has no store, and only the handlers in the overrides. */
export async function createTestApp(overrides: Overrides & { readonly contract: Contract }): Promise<ServedApp>;
/** Composes the service of the guest book, with a separate store. */
export async function createTestApp(
  overrides?: Overrides,
  url?: string,
  loadShedding?: LoadSheddingLimits,
): Promise<TestApp>;
export async function createTestApp(
  overrides: Overrides = {},
  url?: string,
  loadShedding?: LoadSheddingLimits,
): Promise<ServedApp | TestApp> {
  const nothing = () => Promise.resolve();
  if (overrides.contract !== undefined) {
    const open = () => Promise.resolve({ handlers: {}, checkers: {}, check: nothing, close: nothing });
    return serveApplication({ ...application, open }, overrides, loadShedding);
  }
  const store = await openTestStore(url);
  const { check, close } = store;
  const open = () => Promise.resolve({ handlers: createHandlers(store), checkers: {}, check, close });
  const served = await serveApplication({ ...application, open }, overrides, loadShedding);
  return { ...served, store, history: store.list };
}
