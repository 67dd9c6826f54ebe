import type { Handlers, Matched, Unmatched } from './contract.ts';
import type { PlantStore } from './plant-store.ts';
import { createPlant } from './create-plant.ts';

/** The handler of every operation, by operationId. */
export function createHandlers(store: PlantStore) {
  return {
    createPlant: (request) => createPlant(store, request),
  } satisfies Handlers;
}

/** A compile error names each operation without a handler, and each handler without an operation. */
export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}
