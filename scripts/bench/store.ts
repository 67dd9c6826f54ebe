import type { Logger } from 'pino';
import { readStoreConfig } from '../../src/config.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { PlantStore } from '../../src/store/plant-store.ts';
import { openAutocommitStore } from './autocommit-store.ts';

/** How plants are kept: not at all, by the store of the service, or each with a commit of its own. */
export type Keeping = 'none' | 'group commit' | 'autocommit';

/** Opens the store that the environment tells: `KEEPING`, and the variables that configure the service. */
export async function openBenchStore(env: NodeJS.ProcessEnv, log: Logger): Promise<PlantStore> {
  const keeping = env['KEEPING'] as Keeping | undefined; // Set by the bench.
  if (keeping === undefined || keeping === 'none') {
    return { add: () => Promise.resolve(true), close: () => Promise.resolve() };
  }
  const read = readStoreConfig(env);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { location, ...options } = read.store;
  const store = await openStore(location, { ...options, log });
  if (keeping === 'group commit') return store;
  await store.close(); // It has made the tables.
  return openAutocommitStore(location, env['DATABASE_URL'] ?? '');
}
