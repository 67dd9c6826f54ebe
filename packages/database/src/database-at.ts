import {
  DatabaseUnavailable,
  TextNotStorable,
  type Counter,
  type CounterOptions,
  type DatabaseOptions,
} from './database.ts';
import { describeLocation, openCounter, parseDatabaseUrl, type DatabaseLocation } from './open-database.ts';

/** The database of an application, as the engine knows it. */
export type DatabaseDriver = {
  readonly defaultUrl: string;
  readonly parseUrl: (
    url: string,
  ) => { readonly location: DatabaseLocation } | { readonly problems: readonly string[] };
  readonly describe: (location: DatabaseLocation) => string;
  readonly isUnavailable: (error: unknown) => error is DatabaseUnavailable;
  readonly isTextNotStorable: (error: unknown) => boolean;
  readonly openCounter: (
    location: DatabaseLocation,
    counter: CounterOptions,
    options: DatabaseOptions,
  ) => Promise<Counter | undefined>;
};

/**
 * Creates the driver that the engine uses for SQLite and PostgreSQL.
 *
 * @param defaultUrl the `DATABASE_URL` where none is configured: `sqlite:./data/service.db`
 */
export function databaseAt(defaultUrl: string): DatabaseDriver {
  return {
    defaultUrl,
    parseUrl: parseDatabaseUrl,
    describe: describeLocation,
    isUnavailable: (error) => error instanceof DatabaseUnavailable,
    isTextNotStorable: (error) => error instanceof TextNotStorable,
    openCounter,
  };
}
