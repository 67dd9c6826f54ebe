import type { Handlers } from '../contract/contract.ts';
import type { PlantStore } from '../store/plant-store.ts';
import { createPlant } from './create-plant.ts';

/** The handler of every operation, by operationId. */
export function createHandlers(store: PlantStore): Handlers {
  return {
    createPlant: (request) => createPlant(store, request),
  };
}
