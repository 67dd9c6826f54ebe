import { setTimeout as sleep } from 'node:timers/promises';
import type { ValidRequest } from '../http/handle/validate-request.ts';
import type { LineEntry } from './parse-entry.ts';

/** A store for imported lines. */
export type LineStore = {
  /** Stores a request under a key, a UUID. Returns `false` when the key already exists. */
  readonly add: (request: ValidRequest, key: string) => Promise<boolean>;
  /** Returns whether an error of `add` means that the store is temporarily unavailable. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly close: () => Promise<void>;
};

/** The outcome of storing a line. */
export type LineOutcome =
  { readonly is: 'stored' | 'already there' } | { readonly is: 'rejected' | 'unavailable'; readonly reason: string };

// Covers a restart of the database; a longer outage needs an operator.
const RETRY_MS = 30_000;
const RETRY_PAUSE_MS = 500;

/**
 * Stores the lines of a batch in order. Entries for which the database was unavailable are retried for up to
 * `RETRY_MS`, with the same key, so nothing is stored twice.
 *
 * @param mayRetry called before each retry; returns whether to retry
 * @returns the outcome of each entry
 */
export async function storeBatch(
  store: LineStore,
  entries: readonly LineEntry[],
  mayRetry: () => boolean,
): Promise<readonly LineOutcome[]> {
  const outcomes: LineOutcome[] = [];
  const needsAttempt = (index: number): boolean => ['unavailable', undefined].includes(outcomes[index]?.is);
  const deadline = performance.now() + RETRY_MS;
  for (;;) {
    const attempts = entries.map(async (entry, index) => {
      if (needsAttempt(index)) outcomes[index] = await storeEntry(store, entry);
    });
    await Promise.all(attempts);
    if (!outcomes.some((_, index) => needsAttempt(index)) || !mayRetry() || performance.now() > deadline)
      return outcomes;
    await sleep(RETRY_PAUSE_MS);
  }
}

async function storeEntry(store: LineStore, { request, key }: LineEntry): Promise<LineOutcome> {
  if ('reason' in request) return { is: 'rejected', reason: request.reason };
  try {
    return { is: (await store.add(request, key)) ? 'stored' : 'already there' };
  } catch (error) {
    if (store.isUnavailable(error)) return { is: 'unavailable', reason: messageWithCauses(error) };
    return { is: 'rejected', reason: `rejected by the database: ${messageWithCauses(error)}` };
  }
}

function messageWithCauses(error: unknown): string {
  const { message, cause } = error as Error;
  return cause === undefined ? message : `${message}: ${messageWithCauses(cause)}`;
}
