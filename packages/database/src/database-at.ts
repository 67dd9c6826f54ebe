import { DatabaseUnavailable, TextNotStorable } from './database.ts';
import { describeLocation, openCounter, parseDatabaseUrl } from './open-database.ts';

/**
 * Creates a driver for SQLite and PostgreSQL: a `DatabaseDriver` of `@contract-first/engine`.
 *
 * @param defaultUrl the default `DATABASE_URL`: `sqlite:./data/service.db`
 */
export function databaseAt(defaultUrl: string) {
  return {
    defaultUrl,
    parseUrl: parseDatabaseUrl,
    describe: describeLocation,
    isUnavailable: (error: unknown): error is DatabaseUnavailable => error instanceof DatabaseUnavailable,
    isTextNotStorable: (error: unknown): boolean => error instanceof TextNotStorable,
    openCounter,
  };
}
