import type { Logger } from 'pino';
import type { PlantStore } from '../../../src/plants/plant-store.ts';

/** The part of a store that the bench uses. */
export type BenchStore = Pick<PlantStore, 'add'>;

/** How plants are kept: not at all, by the store of the service, by a group commit by hand, or each with its own commit. */
export type Keeping = 'none' | 'group commit' | 'by hand' | 'autocommit';

/**
 * Opens the store that the environment tells: `KEEPING`, and the variables that configure the service. Whoever keeps
 * nothing does not load what a store needs either.
 */
export async function openBenchStore(env: NodeJS.ProcessEnv, log: Logger): Promise<BenchStore> {
  const keeping = env['KEEPING'] as Keeping | undefined; // Set by the bench.
  if (keeping === undefined || keeping === 'none') {
    return { add: () => Promise.resolve(true) };
  }
  const { readCommandConfig } = await import('../src/process/config.ts');
  const { openPlantStore } = await import('../../../src/plants/open-plant-store.ts');
  const { application } = await import('../../../src/service.ts');
  const read = readCommandConfig(env, application.database);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { location, ...options } = read.database;
  const store = await openPlantStore(location, { ...options, log });
  if (keeping === 'group commit') return store;
  await store.close(); // It has made the tables.
  const { createAutocommit, createGroupCommitByHand } = await import('./plain-store.ts');
  if (keeping === 'by hand' && location.engine === 'sqlite') return { add: createGroupCommitByHand(location.path) };
  return { add: createAutocommit(location, env['DATABASE_URL'] ?? '') };
}
