import { setTimeout as sleep } from 'node:timers/promises';
import { createPlant } from '../../src/plants/create-plant.ts';
import { DatabaseUnavailable } from '../../src/engine/database/database.ts';
import type { PlantStore, StoredPlant } from '../../src/plants/plant-store.ts';
import type { Entry } from './entries.ts';

/** What became of a line. */
export type Outcome =
  { readonly is: 'stored' | 'already there' } | { readonly is: 'rejected' | 'unavailable'; readonly reason: string };

// An outage that is longer than a restart of the database is for a person to look at.
const RETRY_MS = 30_000;
const RETRY_PAUSE_MS = 500;

/**
 * Stores the lines of a batch in their order. What the store cannot say of now is asked of it again for a while, under
 * the same key, so nothing is stored twice.
 *
 * @param mayRetry asked before each time
 * @returns what became of each entry
 */
export async function storeBatch(
  store: PlantStore,
  entries: readonly Entry[],
  mayRetry: () => boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const isOpen = (index: number): boolean => ['unavailable', undefined].includes(outcomes[index]?.is);
  const deadline = performance.now() + RETRY_MS;
  for (;;) {
    const attempts = entries.map(async (entry, index) => {
      if (isOpen(index)) outcomes[index] = await storeEntry(store, entry);
    });
    await Promise.all(attempts);
    if (!outcomes.some((_, index) => isOpen(index)) || !mayRetry() || performance.now() > deadline) return outcomes;
    await sleep(RETRY_PAUSE_MS);
  }
}

async function storeEntry(store: PlantStore, { asked, key }: Entry): Promise<Outcome> {
  if ('reason' in asked) return { is: 'rejected', reason: asked.reason };
  const result = { isNew: false };
  const keyed = { add: async (plant: StoredPlant) => (result.isNew = await store.add(plant, key)) };
  try {
    await createPlant(keyed, asked);
    return { is: result.isNew ? 'stored' : 'already there' };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { is: 'unavailable', reason: explain(error) };
    return { is: 'rejected', reason: `the database refused it: ${explain(error)}` };
  }
}

function explain(error: unknown): string {
  const { message, cause } = error as Error;
  return cause === undefined ? message : `${message}: ${explain(cause)}`;
}
