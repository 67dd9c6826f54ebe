import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../src/database.ts';
import { listPlants } from '@contract-first/testing/app.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { run, start } from '@contract-first/testing/service.ts';

/** Returns a line of an export. */
export const plantLine = (id: number | bigint): string => `{"id":${String(id)},"name":"plant ${String(id)}"}\n`;
/** Returns the lines of an export with consecutive ids. */
export const plantLines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => plantLine(from + index)).join('');
/** Returns the last line of an import. */
export const summary = (read: number, stored: number, there: number, rejected: number): string => {
  const [reads, stores, theres, rejects] = [read, stored, there, rejected].map((count) =>
    count.toLocaleString('en-US'),
  );
  return `lines: ${String(reads)} read, ${String(stores)} stored, ${String(theres)} already there, ${String(rejects)} rejected\n`;
};

/** A store that does not exist yet, with helpers that run the commands on it. */
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
    importFile: (input: string | Buffer) => run('node', ['scripts/import.ts', write(input)], env),
    startImport: () => start('node', ['scripts/import.ts'], env),
    history: async () => (await run('node', ['scripts/export.ts', '--history'], env)).stdout,
    /** Resolves when the store has a number of creations. */
    has: async (creations: number): Promise<void> => {
      // Each count reads all creations in a new thread.
      while ((await countCreations(databaseUrl)) < creations) await sleep(50);
    },
  };
}

async function countCreations(url: string): Promise<number> {
  try {
    return (await listPlants(url, 'history')).length;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return 0; // It is still being created.
    throw error;
  }
}
