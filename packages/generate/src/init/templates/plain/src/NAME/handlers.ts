import type { Handlers, Matched, Unmatched } from './contract.ts';

/** The handler of every operation, by operationId. */
export function createHandlers() {
  return {} satisfies Handlers;
}

/** A compile error names each operation without a handler, and each handler without an operation. */
export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}
