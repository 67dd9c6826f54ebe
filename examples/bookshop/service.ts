import { bookTables, createBooks } from './application/books.ts';
import { contract } from './application/contract.ts';
import { failures } from './application/failures.ts';
import { createHandlers } from './application/handlers.ts';
import { openDatabase } from './engine/database/open-database.ts';
import type { Application } from './engine/create-service.ts';

export const application: Application = {
  contract,
  failures,
  defaultDatabaseUrl: 'sqlite:./data/books.db',
  async open({ location, ...options }) {
    const database = await openDatabase(location, bookTables, options);
    const handlers = createHandlers(createBooks(database));
    return { handlers, checkers: {}, check: database.check, close: database.close };
  },
};
