import { existsSync } from 'node:fs';
import { readDatabaseConfig } from '../src/engine/process/config.ts';
import type { DatabaseConfig } from '../src/engine/service.ts';
import { application } from '../src/service.ts';
import { DatabaseUnavailable } from '../src/engine/database/database.ts';

// What the commands that work on the store have in common: their configuration, and how they end when they cannot go on.

/** Reads the environment and `.env`; ends the process, with a line for every problem, when there is a mistake. */
export function readConfiguration(): { readonly database: DatabaseConfig; readonly bodyLimitBytes: number } {
  try {
    if (existsSync('.env')) process.loadEnvFile();
  } catch {
    refuse('the file .env cannot be read');
  }
  const read = readDatabaseConfig(process.env, application.defaultDatabaseUrl);
  return 'problems' in read ? refuse(...read.problems) : read;
}

/** Does something with a store; ends the process with one line when it cannot be used. */
export async function orRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return refuse(error.message);
    throw error;
  }
}

/** Says why the command cannot go on, a line each, and ends the process. */
export function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
