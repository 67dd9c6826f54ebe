import type { Application } from './engine/create-service.ts';
import { contract } from './plants/contract.ts';
import { createHandlers } from './plants/handlers.ts';
import { openPlantStore } from './plants/open-plant-store.ts';

/** The plant store: its document, its handlers and its store, on the engine. */
export const application: Application = {
  contract,
  defaultDatabaseUrl: 'sqlite:./data/plants.db',
  async open({ location, ...options }) {
    const store = await openPlantStore(location, options);
    return { handlers: createHandlers(store), check: () => store.check(), close: () => store.close() };
  },
};
