import { afterEach } from '@jest/globals';
import type { Express } from 'express';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createApp, type AppOptions } from '../../src/engine/http/app.ts';
import { createTokenVerifier } from '../../src/engine/auth/token-verifier.ts';
import { hashToken } from '../../src/engine/auth/tokens.ts';
import { contract } from '../../src/plants/contract.ts';
import { createHandlers } from '../../src/plants/handlers.ts';
import { createLoadShedding, type LoadSheddingLimits } from '../../src/engine/http/load-shedding.ts';
import type { AnsweredRequest, Observer, Refusal } from '../../src/engine/http/observer.ts';
import { startServer, type RunningServer, type ServerLimits } from '../../src/engine/server/server.ts';
import { parseDatabaseUrl, type DatabaseLocation } from '../../src/engine/database/open-database.ts';
import type { DatabaseOptions } from '../../src/engine/database/database.ts';
import type { PlantStore, StoredPlant } from '../../src/plants/plant-store.ts';
import { openPlantReader, openPlantStore } from '../../src/plants/plant-tables.ts';

export const TOKEN = 'test-token';

/** The limits of the service where none is configured. */
const LIMITS: ServerLimits = {
  headerLimitBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  connectionLimit: 4_000,
};

export type TestStore = PlantStore & {
  /** Its `DATABASE_URL`. */
  readonly url: string;
  /** What anybody can read in it. */
  readonly list: (which: 'current' | 'history') => Promise<StoredPlant[]>;
};

export type TestServer = RunningServer & {
  /** What was refused at once so far, and why. */
  readonly refused: () => readonly Refusal[];
};

export type TestApp = {
  readonly app: Express;
  /** Listens on a port of its own until the test is over. */
  readonly serve: (limits?: Partial<ServerLimits>) => Promise<TestServer>;
  readonly store: TestStore;
  /** Every line that was logged. */
  readonly logged: readonly Record<string, unknown>[];
  /** Every creation so far. */
  readonly history: () => Promise<StoredPlant[]>;
};

const answered: AnsweredRequest[] = [];

/** What an operation was answered so far in this test file, whichever application did it. */
export function statusesOf(operationId: string): readonly number[] {
  return answered.flatMap((request) => (request.operationId === operationId ? (request.status ?? []) : []));
}

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs a function when the test is over. */
export function cleanUp(cleanup: () => void | Promise<void>): void {
  cleanups.push(cleanup);
}

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  cleanUp(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A store that is closed when the test is over. */
export async function openTestStore(
  url = `sqlite:${join(temporaryFolder(), 'plants.db')}`,
  overrides: Partial<DatabaseOptions> = {},
): Promise<TestStore> {
  const location = locationOf(url);
  const options = { poolSize: 2, timeoutMs: 5_000, queueLimitBytes: 67_108_864, log: pino({ level: 'silent' }) };
  const store = await openPlantStore(location, { ...options, ...overrides });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= store.close());
  cleanUp(close);
  return { ...store, close, url, list: (which) => listPlants(location, which) };
}

function locationOf(url: string): DatabaseLocation {
  const parsed = parseDatabaseUrl(url);
  if ('location' in parsed) return parsed.location;
  throw new Error(parsed.problems.join('\n'));
}

async function listPlants(location: DatabaseLocation, which: 'current' | 'history'): Promise<StoredPlant[]> {
  const reader = await openPlantReader(location);
  try {
    return await Array.fromAsync(reader.list(which));
  } finally {
    await reader.close();
  }
}

/** The application as the service runs it, on a store of its own. Handlers replace those of the service one by one. */
export async function createTestApp(
  overrides: Partial<AppOptions> = {},
  url?: string,
  loadSheddingLimits: LoadSheddingLimits = {
    inFlightLimit: 1_000,
    bodyMemoryLimitBytes: 67_108_864,
    eventLoopDelayLimitMs: 60_000,
  },
): Promise<TestApp> {
  const store = await openTestStore(url);
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { base: null },
    { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const refusals: Refusal[] = [];
  const observer: Observer = {
    answered(request) {
      log.info(request);
      answered.push(request);
    },
    refused(reason) {
      refusals.push(reason);
    },
  };
  const app = createApp({
    contract,
    production: true,
    tokenVerifier: createTokenVerifier(
      { tokens: [hashToken('tester', TOKEN)], tokensFile: undefined, jwt: undefined },
      log,
    ),
    loadShedding: createLoadShedding(loadSheddingLimits, log),
    bodyLimitBytes: 1_048_576,
    trustProxy: [],
    observer,
    log,
    ...overrides,
    handlers: { ...createHandlers(store), ...overrides.handlers },
  });
  const serve = async (limits: Partial<ServerLimits> = {}): Promise<TestServer> => {
    const options = { host: '127.0.0.1', port: 0, limits: { ...LIMITS, ...limits }, observer };
    const server = await startServer(app, options);
    cleanUp(async () => {
      await server.stop(0);
    });
    return { ...server, refused: () => refusals };
  };
  return { app, serve, store, logged, history: () => store.list('history') };
}
