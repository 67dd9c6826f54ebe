import { bookTables, createBooks } from './bookshop/books.ts';
import { contract } from './bookshop/contract.ts';
import { failures } from './bookshop/failures.ts';
import { createHandlers } from './bookshop/handlers.ts';
import { databaseAt, openDatabase, type DatabaseLocation } from '@contract-first/database';
import type { Application } from '@contract-first/engine';

export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  database: databaseAt('sqlite:./data/books.db'),
  async open({ location, ...options }) {
    const database = await openDatabase(location, bookTables, options);
    const handlers = createHandlers(createBooks(database));
    return { handlers, checkers: {}, check: database.check, close: database.close };
  },
} satisfies Application<DatabaseLocation>;
