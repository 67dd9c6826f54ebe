import type { RequestListener } from 'node:http';
import { stringifyJson } from '@contract-first/engine';
import { post as postTo } from '@contract-first/testing/answer.ts';
import { cleanUp, temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { DATABASE_OPTIONS, locationOf } from '@contract-first/testing/database.ts';
import { startCreations as createAt } from '@contract-first/testing/load.ts';
import { serveApplication, type Overrides, type ServedApp } from '@contract-first/testing/serve-application.ts';
import {
  ROOT,
  runProcess as runIn,
  start as startIn,
  startServiceProcess as startServiceIn,
  type ServiceProcess,
} from '@contract-first/testing/service.ts';
import { createHandlers } from '../../src/plants/handlers.ts';
import { openPlantReader, openPlantStore } from '../../src/plants/open-plant-store.ts';
import type { StoredPlant } from '../../src/plants/plant-store.ts';
import { application } from '../../src/service.ts';

// The plant store in this process, and its commands.

type Environment = Readonly<Record<string, string>>;

/** The served plant store. */
export type TestApp = Pick<ServedApp, 'app' | 'logged'> & {
  readonly store: Awaited<ReturnType<typeof openTestStore>>;
  /** Returns all creations. */
  readonly history: () => Promise<StoredPlant[]>;
};

/** Opens a store that is closed when the test ends. */
export async function openTestStore(url = temporaryDatabase()) {
  const store = await openPlantStore(locationOf(url), DATABASE_OPTIONS);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= store.close());
  cleanUp(close);
  // Stays open, since many tests read the store, and each reader of PostgreSQL has its own connection.
  let reader: ReturnType<typeof openPlantReader> | undefined;
  cleanUp(async () => (await reader)?.close());
  const list = async (which: 'latest' | 'history'): Promise<StoredPlant[]> => {
    reader ??= openPlantReader(locationOf(url));
    return Array.fromAsync((await reader).list(which));
  };
  return { ...store, close, url, list };
}

/** Returns the current plants of a store, or every creation. */
export async function listPlants(url: string, which: 'latest' | 'history'): Promise<StoredPlant[]> {
  const reader = await openPlantReader(locationOf(url));
  try {
    return await Array.fromAsync(reader.list(which));
  } finally {
    await reader.close();
  }
}

/** Returns the output of `npm run export -- --history` without starting a process. */
export async function readHistory(url: string): Promise<string> {
  return (await listPlants(url, 'history')).map((plant) => `${stringifyJson(plant)}\n`).join('');
}

/** Composes the service like `npm start`, with a separate store. `overrides` replace parts of the application. */
export async function createTestApp(url?: string, overrides: Overrides = {}): Promise<TestApp> {
  const store = await openTestStore(url);
  const open = () =>
    Promise.resolve({
      handlers: createHandlers(store),
      checkers: {},
      check: () => store.check(),
      close: () => store.close(),
    });
  const { app, logged } = await serveApplication({ ...application, open }, overrides);
  return { app, logged, store, history: () => store.list('history') };
}

/** Sends a body unchanged to POST /plants with a valid token. `headers` override the default headers. */
export function post(app: RequestListener, body: string | Buffer, headers: Record<string, string> = {}) {
  return postTo(app, body, headers, '/plants');
}

/** Runs a command in the folder of the plant store and waits for its end. */
export function run(command: string, args: readonly string[], env: Environment = {}) {
  return runIn(command, args, env, ROOT);
}

/** Starts a command in the folder of the plant store. */
export function start(command: string, args: readonly string[], env: Environment) {
  return startIn(command, args, env, ROOT);
}

/** Starts the plant store on a free port with a new store, and waits until it listens. */
export function startService(env: Environment = {}, command: readonly string[] = ['node', 'src/main.ts']) {
  return startServiceIn(env, command, ROOT);
}

/** Starts clients that create plants, each with a unique id and tag. */
export function startCreations(service: ServiceProcess, clients: number) {
  return createAt(service, clients, '/plants');
}
