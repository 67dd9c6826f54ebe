import { databaseAt, type DatabaseLocation } from '@contract-first/database';
import type { Application } from '@contract-first/engine';
import { contract, type Checkers } from './plants/contract.ts';
import { failures } from './plants/failures.ts';
import { createHandlers } from './plants/handlers.ts';
import { openPlantStore } from './plants/open-plant-store.ts';

/**
 * The plant store: its document, its handlers and its store, on the engine.
 *
 * - Express serves HTTP (`packages/engine/src/http/app.ts`).
 * - Passport checks the bearer token (`packages/engine/src/auth/bearer.ts`).
 * - The Ajv instances of express-openapi-validator validate requests and responses (`packages/engine/src/validators.ts`).
 * - openapi-typescript prints the types that the handlers are checked against (`scripts/generate.ts`).
 */
export const application = {
  contract,
  document: new URL('..', import.meta.url), // The folder of openapi.yaml, for the docs page.
  failures,
  database: databaseAt('sqlite:./data/plants.db'),
  async open({ location, ...options }) {
    const store = await openPlantStore(location, options);
    // Passport checks the tokens of bearerAuth. Schemes that the engine does not know would need a checker here.
    const checkers = {} satisfies Checkers;
    return { handlers: createHandlers(store), checkers, check: () => store.check(), close: () => store.close() };
  },
} satisfies Application<DatabaseLocation>;
