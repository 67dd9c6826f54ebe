import { existsSync } from 'node:fs';
import { readDatabaseConfig, type DatabaseConfig } from '@contract-first/engine';
import { DatabaseUnavailable, type DatabaseLocation } from '@contract-first/database';
import { application } from '../src/service.ts';
import { refuse } from './output.ts';

// Shared by the commands that use the store: configuration and error handling.

/** The part of the service's configuration that the commands use. */
export type Configuration = {
  readonly database: DatabaseConfig<DatabaseLocation>;
  readonly bodyLimitBytes: number;
};

/** Reads the configuration from the environment and `.env`; exits with one line for each problem when it is invalid. */
export function readConfiguration(): Configuration {
  try {
    if (existsSync('.env')) process.loadEnvFile();
  } catch {
    refuse('the file .env cannot be read');
  }
  const read = readDatabaseConfig(process.env, application.database);
  return 'problems' in read ? refuse(...read.problems) : read;
}

/** Runs an action on a store; exits with one line when the database is unavailable. */
export async function orRefuse<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return refuse(error.message);
    throw error;
  }
}
