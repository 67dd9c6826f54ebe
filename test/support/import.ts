import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '@contract-first/database';
import { readCommandConfig } from '@contract-first/engine/tools';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { ROOT } from '@contract-first/testing/service.ts';
import { importPlants } from '../../scripts/import-plants.ts';
import { application } from '../../src/service.ts';
import { listPlants, readHistory, start } from './plant-store.ts';

/** Returns a line of an export. */
export const plantLine = (id: number | bigint): string => `{"id":${String(id)},"name":"plant ${String(id)}"}\n`;
/** Returns the lines of an export with consecutive ids. */
export const plantLines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => plantLine(from + index)).join('');
/** Returns the last line of an import. */
export const summary = (read: number, stored: number, there: number, rejected: number): string => {
  const format = (count: number): string => count.toLocaleString('en-US');
  return `lines: ${format(read)} read, ${format(stored)} stored, ${format(there)} already there, ${format(rejected)} rejected\n`;
};

/** Returns the location of a store that does not exist yet, and functions that run commands on it. */
export function newStore(databaseUrl: string, limits: Readonly<Record<string, string>> = {}) {
  const env = { ...limits, DATABASE_URL: databaseUrl };
  const write = (input: string | Buffer): string => {
    const file = join(temporaryFolder(), 'plants.ndjson');
    writeFileSync(file, input);
    return file;
  };
  return {
    env,
    path: databaseUrl.replace('sqlite:', ''),
    write,
    /** Imports a file in this process. */
    importFile: (input: string | Buffer) => runHere(importHere, [write(input)], ROOT, env),
    startImport: () => start('node', ['scripts/import.ts'], env),
    history: () => readHistory(databaseUrl),
    /** Resolves when the store has at least a number of creations. */
    has: async (creations: number): Promise<void> => {
      // Pauses, since each count reads all creations in a new thread.
      while ((await countCreations(databaseUrl)) < creations) await sleep(50);
    },
  };
}

function importHere(
  [file = '']: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const configuration = readCommandConfig(env, application.database);
  if ('problems' in configuration) throw new Error(configuration.problems.join('\n'));
  const { database, bodyLimitBytes } = configuration;
  return importPlants(file, { ...database, bodyLimitBytes });
}

async function countCreations(url: string): Promise<number> {
  try {
    return (await listPlants(url, 'history')).length;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return 0; // The store is still being created.
    throw error;
  }
}
