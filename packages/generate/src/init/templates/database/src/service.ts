import { databaseAt, type DatabaseLocation } from '@contract-first/database';
import type { Application } from '@contract-first/engine';
import { checkers } from './NAME/checkers.ts';
import { contract } from './NAME/contract.ts';
import { failures } from './NAME/failures.ts';
import { createHandlers } from './NAME/handlers.ts';
import { openStore } from './NAME/store.ts';

/** The service: its document, its handlers and its store, on the engine. */
export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  database: databaseAt('sqlite:./data/NAME.db'),
  async open({ location, ...options }) {
    const store = await openStore(location, options);
    return {
      handlers: createHandlers(store),
      checkers,
      check: store.check,
      once: store.once,
      close: store.close,
      store,
    };
  },
} satisfies Application<DatabaseLocation>;
