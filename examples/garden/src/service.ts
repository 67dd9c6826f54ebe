import { createBeds, gardenTables } from './garden/beds.ts';
import { contract } from './garden/contract.ts';
import { failures } from './garden/failures.ts';
import { createHandlers } from './garden/handlers.ts';
import { databaseAt, openDatabase, type DatabaseLocation } from '@contract-first/database';
import type { Application } from '@contract-first/engine';

export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  database: databaseAt('sqlite:./data/garden.db'),
  async open({ location, ...options }) {
    const database = await openDatabase(location, gardenTables, options);
    const handlers = createHandlers(createBeds(database));
    return { handlers, checkers: {}, check: database.check, once: database.once, close: database.close };
  },
} satisfies Application<DatabaseLocation>;
