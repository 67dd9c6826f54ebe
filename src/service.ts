import { databaseAt, type DatabaseLocation } from '@contract-first/database';
import type { Application } from '@contract-first/engine';
import { contract, type Checkers } from './plants/contract.ts';
import { failures } from './plants/failures.ts';
import { createHandlers } from './plants/handlers.ts';
import { openPlantStore } from './plants/open-plant-store.ts';

/** The plant store: its document, its handlers and its store, on the engine. */
export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  database: databaseAt('sqlite:./data/plants.db'),
  async open({ location, ...options }) {
    const store = await openPlantStore(location, options);
    const checkers = {} satisfies Checkers; // The engine knows every security scheme of the document.
    return { handlers: createHandlers(store), checkers, check: () => store.check(), close: () => store.close() };
  },
} satisfies Application<DatabaseLocation>;
