import { afterEach } from '@jest/globals';
import type { Express } from 'express';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createApp, type AppOptions } from '../../src/app.ts';
import { contract } from '../../src/contract/contract.ts';
import { createHandlers } from '../../src/handlers/handlers.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { PlantStore, StoredPlant } from '../../src/store/plant-store.ts';

export const TOKEN = 'test-token';

export type TestApp = {
  readonly app: Express;
  readonly store: PlantStore;
  /** Every line that was logged. */
  readonly logged: readonly Record<string, unknown>[];
  /** Every creation so far. */
  readonly history: () => Promise<StoredPlant[]>;
};

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

/** The application as the service runs it, on a store of its own. */
export function createTestApp(overrides: Partial<AppOptions> = {}): TestApp {
  const path = join(temporaryFolder(), 'plants.db');
  const store = openStore({ engine: 'sqlite', path });
  cleanUp(() => store.close());

  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) });
  const app = createApp({
    contract,
    handlers: createHandlers(store),
    production: true,
    tokens: [TOKEN],
    bodyLimitBytes: 1_048_576,
    log,
    ...overrides,
  });
  return { app, store, logged, history: () => Array.fromAsync(store.list('history')) };
}
