import type { RequestListener } from 'node:http';
import pino from 'pino';
import { hashToken } from '../../engine/src/auth/tokens.ts';
import type { Contract } from '@contract-first/contract';
import type { DatabaseOptions } from '@contract-first/database';
import type { Docs } from '../../engine/src/docs/docs.ts';
import type { LoadSheddingLimits } from '../../engine/src/http/accept/load-shedding.ts';
import type { AnsweredRequest } from '../../engine/src/http/observer.ts';
import { readConfig, type AnyHandler } from '@contract-first/engine/tools';
import type { Config } from '../../engine/src/process/config.ts';
import { type RunningServer, type ServerLimits, startServer } from '../../engine/src/server/server.ts';
import { stringifyJson, type Application, type Checker, type Middleware } from '@contract-first/engine';
import { createService } from '../../engine/src/create-service.ts';
import type { ServiceConfig } from '../../engine/src/open-application.ts';
import { createHandlers } from '../../../src/plants/handlers.ts';
import type { PlantReader, PlantStore, StoredPlant } from '../../../src/plants/plant-store.ts';
import { openPlantReader, openPlantStore } from '../../../src/plants/open-plant-store.ts';
import { application } from '../../../src/service.ts';
import { cleanUp, cleanUpAfterFile, temporaryDatabase } from './cleanup.ts';
import { DATABASE_OPTIONS, locationOf } from './database.ts';

export const TOKEN = 'test-token';

/** Returns the default configuration. */
async function readDefaults(): Promise<Config> {
  const read = await readConfig({ PORT: '0', EVENT_LOOP_DELAY_LIMIT_MS: '60000' }, application.database);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return read.config;
}

export type TestStore = PlantStore & {
  /** The `DATABASE_URL` of the store. */
  readonly url: string;
  /** Returns the current plants, or every creation. */
  readonly list: (which: 'latest' | 'history') => Promise<StoredPlant[]>;
};

export type TestServer = RunningServer & {
  /** Returns the reached limits, one entry per rejected request or connection. */
  readonly refused: () => Promise<readonly string[]>;
};

/** A served application without a store. */
export type ServedApp = {
  readonly app: RequestListener;
  /** Listens on a free port until the test ends. */
  readonly serve: (limits?: Partial<ServerLimits>) => Promise<TestServer>;
  /** All log lines. */
  readonly logged: readonly Record<string, unknown>[];
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
};

/** The served plant store. */
export type TestApp = ServedApp & {
  readonly store: TestStore;
  /** Returns all creations. */
  readonly history: () => Promise<StoredPlant[]>;
};

const answered: AnsweredRequest[] = [];
const forgetAnswered = (): void => {
  answered.length = 0;
};

/** Returns the returned statuses of an operation in this test file, across applications. */
export function statusesOf(operationId: string): readonly number[] {
  return answered.flatMap((request) => (request.operationId === operationId ? (request.status ?? []) : []));
}

/** Opens a store that is closed when the test ends. */
export async function openTestStore(
  url = temporaryDatabase(),
  overrides: Partial<DatabaseOptions> = {},
): Promise<TestStore> {
  const store = await openPlantStore(locationOf(url), { ...DATABASE_OPTIONS, ...overrides });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= store.close());
  cleanUp(close);
  return { ...store, close, url, list: (which) => listPlants(url, which) };
}

/** Opens a store for reading, like `npm run export`. */
export async function openTestReader(url: string): Promise<PlantReader> {
  return openPlantReader(locationOf(url));
}

/** Returns the current plants of a store, or every creation. */
export async function listPlants(url: string, which: 'latest' | 'history'): Promise<StoredPlant[]> {
  const reader = await openTestReader(url);
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

/** Parts of the plant store to replace in a test. */
export type Overrides = Partial<ServiceConfig> & {
  /** The contract of another application, which has no store, and only the handlers below. */
  readonly contract?: Contract;
  readonly formats?: Application['formats'];
  /** Handlers that replace the plant store's handlers of the same name. */
  readonly handlers?: Readonly<Record<string, AnyHandler>>;
  /** Functions added to the plant store's failures. */
  readonly failures?: Application['failures'];
  readonly failureStatus?: Application['failureStatus'] | undefined;
  readonly failureHeaders?: Application['failureHeaders'];
  readonly checkers?: Readonly<Record<string, Checker>>;
  readonly middleware?: readonly Middleware[];
  readonly codecs?: Application['codecs'];
  readonly docs?: Docs | undefined;
};

/** Composes the service like `npm start`, with a separate store. */
export async function createTestApp(overrides: Overrides & { readonly contract: Contract }): Promise<ServedApp>;
export async function createTestApp(
  overrides?: Overrides,
  url?: string,
  loadShedding?: LoadSheddingLimits,
): Promise<TestApp>;
export async function createTestApp(
  {
    contract,
    handlers = {},
    failures = {},
    failureStatus = () => undefined,
    failureHeaders = () => ({}),
    checkers = {},
    middleware = [],
    codecs = {},
    formats = {},
    docs,
    ...config
  }: Overrides = {},
  url?: string,
  loadShedding?: LoadSheddingLimits,
): Promise<ServedApp | TestApp> {
  cleanUpAfterFile(forgetAnswered);
  const defaults = await readDefaults();
  const store = contract === undefined ? await openTestStore(url) : undefined;
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    logged.push(entry);
    if ('clientAddress' in entry) answered.push(entry as unknown as AnsweredRequest);
  };
  const open = () =>
    Promise.resolve({
      handlers: { ...(store && createHandlers(store)), ...handlers },
      checkers,
      middleware,
      check: async () => store?.check(),
      close: async () => store?.close(),
    });
  const auth = { tokens: [hashToken('tester', TOKEN)], tokensFile: undefined, jwt: undefined };
  const service = await createService(
    [
      {
        application: {
          ...application,
          contract: contract ?? application.contract,
          failures: { ...application.failures, ...failures },
          failureStatus,
          failureHeaders,
          codecs,
          formats,
          open,
        },
        config: defaults,
        docs,
      },
    ],
    { ...defaults, production: true, auth, loadShedding: loadShedding ?? defaults.loadShedding, ...config },
    pino({ base: null }, { write }),
  );
  const { app, failureResponse, observer, metrics } = service;
  const refused = async (): Promise<readonly string[]> => {
    const counts = (await metrics.text()).matchAll(/^http_requests_refused_total\{limit="(\w+)"\} (\d+)$/gm);
    return [...counts].flatMap(([, limit = '', count]) => Array<string>(Number(count)).fill(limit));
  };
  const serve = async (limits: Partial<ServerLimits> = {}): Promise<TestServer> => {
    const options = { limits: { ...defaults.server, ...limits }, observer, failureResponse };
    const server = await startServer(app, { ...defaults.listen, ...options });
    cleanUp(async () => {
      await server.stop(0);
    });
    const stop = (graceMs: number): Promise<boolean> => {
      service.beginStop();
      return server.stop(graceMs);
    };
    return { ...server, stop, refused };
  };
  const served = { app, serve, logged, metrics: metrics.text };
  return store === undefined ? served : { ...served, store, history: () => store.list('history') };
}
