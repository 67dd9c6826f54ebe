import type { Logger } from 'pino';
import type { GuestBook } from '@contract-first/testing/fixture/src/guests/guest-book.ts';

/** The part of a store that the bench uses. */
export type BenchStore = Pick<GuestBook, 'add'>;

/**
 * How guests are stored: not at all, by the service's store, with a handwritten group commit, or with a commit for
 * each.
 */
export type Keeping = 'none' | 'group commit' | 'by hand' | 'autocommit';

/**
 * Opens the store that environment variables select: `KEEPING`, and the variables that configure the service. Without a
 * store, no database modules are loaded.
 */
export async function openBenchStore(env: NodeJS.ProcessEnv, log: Logger): Promise<BenchStore> {
  const keeping = env['KEEPING'] as Keeping | undefined; // Set by the benchmark.
  if (keeping === undefined || keeping === 'none') {
    return { add: () => Promise.resolve(true) };
  }
  const { readCommandConfig } = await import('../src/process/config.ts');
  const { openGuestBook } = await import('@contract-first/testing/fixture/src/guests/guest-book.ts');
  const { application } = await import('@contract-first/testing/fixture/src/service.ts');
  const read = readCommandConfig(env, application.database);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { location, ...options } = read.database;
  const store = await openGuestBook(location, { ...options, log });
  if (keeping === 'group commit') return store;
  await store.close(); // Opening it has created the tables.
  const { createAutocommit, createGroupCommitByHand } = await import('./plain-store.ts');
  if (keeping === 'by hand' && location.engine === 'sqlite') return { add: createGroupCommitByHand(location.path) };
  return { add: createAutocommit(location, env['DATABASE_URL'] ?? '') };
}
