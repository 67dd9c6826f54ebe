import type { Handlers, Matched, Unmatched } from './contract.ts';
import type { Store } from './store.ts';

/** The handler of every operation, by operationId. */
export function createHandlers(_store: Store) {
  return {} satisfies Handlers;
}

/** Does not compile while an operation has no handler, or a handler no operation: an error names each of them. */
export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}
