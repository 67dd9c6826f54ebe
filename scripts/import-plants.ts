import { DatabaseUnavailable } from '@contract-first/database';
import { importLines } from '@contract-first/engine';
import { contract, type Request } from '../src/plants/contract.ts';
import { createPlant } from '../src/plants/create-plant.ts';
import { openPlantStore } from '../src/plants/open-plant-store.ts';
import type { StoredPlant } from '../src/plants/plant-store.ts';
import type { Configuration } from './command.ts';

/** The caller of the handler. */
const IMPORT = { name: 'import', scheme: 'none' };

/** Stores the lines of a file, or of standard input for `-`. Returns the exit code. */
export function importPlants(path: string, configuration: Configuration): Promise<number> {
  const { location, bodyLimitBytes, ...options } = configuration;
  return importLines({
    contract,
    operationId: 'createPlant',
    path,
    limitBytes: bodyLimitBytes,
    async openStore(log) {
      const store = await openPlantStore(location, { ...options, log });
      return {
        async add(request, key) {
          // The handler stores the plant of the line, as for a request. Its reply does not say whether the plant is new.
          let isNew = false;
          const keyedStore = {
            async add(plant: StoredPlant) {
              isNew = await store.add(plant, key);
              return isNew;
            },
          };
          await createPlant(keyedStore, { ...(request as Request<'createPlant'>), caller: IMPORT });
          return isNew;
        },
        isUnavailable: (error) => error instanceof DatabaseUnavailable,
        close: () => store.close(),
      };
    },
  });
}
