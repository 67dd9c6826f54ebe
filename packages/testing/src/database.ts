import pino from 'pino';
import { parseDatabaseUrl, type DatabaseLocation, type DatabaseOptions } from '@contract-first/database';

// Also used without Jest.

/** The database options for tests. */
export const DATABASE_OPTIONS: DatabaseOptions = {
  poolSize: 2,
  timeoutMs: 5_000,
  queueLimitBytes: 67_108_864,
  log: pino({ level: 'silent' }),
};

/** Parses a `DATABASE_URL`. @throws {Error} if it is invalid */
export function locationOf(url: string): DatabaseLocation {
  const parsed = parseDatabaseUrl(url);
  if ('location' in parsed) return parsed.location;
  throw new Error(parsed.problems.join('\n'));
}
