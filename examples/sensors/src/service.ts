import { databaseAt, openDatabase, type DatabaseLocation } from '@contract-first/database';
import type { Application } from '@contract-first/engine';
import { contract } from './sensors/contract.ts';
import { failures } from './sensors/failures.ts';
import { formats } from './sensors/formats.ts';
import { createHandlers } from './sensors/handlers.ts';
import { createReadings, readingTables } from './sensors/readings.ts';

export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  formats,
  database: databaseAt('sqlite:./data/readings.db'),
  async open({ location, ...options }) {
    const database = await openDatabase(location, readingTables, options);
    const handlers = createHandlers(createReadings(database));
    return { handlers, checkers: {}, check: database.check, close: database.close };
  },
} satisfies Application<DatabaseLocation>;
