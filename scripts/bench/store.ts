import type { Logger } from 'pino';
import type { PlantStore } from '../../src/store/plant-store.ts';

/** How plants are kept: not at all, by the store of the service, or each with a commit of its own. */
export type Keeping = 'none' | 'group commit' | 'autocommit';

/**
 * Opens the store that the environment tells: `KEEPING`, and the variables that configure the service. Whoever keeps
 * nothing does not load what a store needs either.
 */
export async function openBenchStore(env: NodeJS.ProcessEnv, log: Logger): Promise<PlantStore> {
  const keeping = env['KEEPING'] as Keeping | undefined; // Set by the bench.
  if (keeping === undefined || keeping === 'none') {
    return { add: () => Promise.resolve(true), check: () => Promise.resolve(), close: () => Promise.resolve() };
  }
  const { readStoreConfig } = await import('../../src/config.ts');
  const { openStore } = await import('../../src/store/open-store.ts');
  const read = readStoreConfig(env);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { location, ...options } = read.store;
  const store = await openStore(location, { ...options, log });
  if (keeping === 'group commit') return store;
  await store.close(); // It has made the tables.
  const { openAutocommitStore } = await import('./autocommit-store.ts');
  return openAutocommitStore(location, env['DATABASE_URL'] ?? '');
}
