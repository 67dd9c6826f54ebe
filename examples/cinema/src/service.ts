import { bookingTables, createBookings } from './cinema/bookings.ts';
import { contract } from './cinema/contract.ts';
import { failures } from './cinema/failures.ts';
import { createHandlers } from './cinema/handlers.ts';
import { repeat } from './cinema/repeat.ts';
import { createSales } from './cinema/sales.ts';
import { settings } from './settings.ts';
import { databaseAt, openDatabase, type DatabaseLocation } from '@contract-first/database';
import { Counter, type Application } from '@contract-first/engine';

const RELEASE_EVERY_MS = 1_000;

export const application = {
  contract,
  document: new URL('..', import.meta.url),
  failures,
  settings,
  database: databaseAt('sqlite:./data/cinema.db'),
  async open({ location, settings, metrics, ...options }) {
    const database = await openDatabase(location, bookingTables, options);
    const bookings = createBookings(database);
    const sales = createSales(database);
    const name = 'cinema_bookings_released_total';
    const released = new Counter({ name, help: 'Bookings that were not paid in time.', registers: [metrics] });
    const release = async (): Promise<number> => {
      const count = await bookings.release(BigInt(Date.now() - settings.HOLD_SECONDS * 1_000));
      released.inc(count);
      return count;
    };
    // Each instance of the service releases bookings. Transactions isolate the instances.
    const stopReleasing = repeat(release, RELEASE_EVERY_MS, options.log);
    const close = async (): Promise<void> => {
      await stopReleasing(); // First, since a step uses the database.
      await database.close();
    };
    return { handlers: createHandlers(bookings, sales), checkers: {}, check: database.check, close, release };
  },
} satisfies Application<DatabaseLocation, typeof settings>;
