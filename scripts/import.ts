import { DatabaseUnavailable } from '@contract-first/database';
import { importLines } from '@contract-first/engine';
import { contract, type Request } from '../src/plants/contract.ts';
import { createPlant } from '../src/plants/create-plant.ts';
import { openPlantStore } from '../src/plants/open-plant-store.ts';
import type { StoredPlant } from '../src/plants/plant-store.ts';
import { orRefuse, readConfiguration } from './command.ts';
import { refuse } from './output.ts';

// `npm run import -- plants.ndjson` stores the output of `npm run export`; without a file, it reads standard input.
// Each line is validated like a request body. Running it again with the same input stores only the missing lines.
const [path = '-', ...rest] = process.argv.slice(2);
if (rest.length > 0 || /^-./.test(path)) refuse('name one file to import, or none for standard input');
const { database, bodyLimitBytes } = readConfiguration();

process.exitCode = await importLines({
  contract,
  operationId: 'createPlant',
  path,
  limitBytes: bodyLimitBytes,
  async openStore(log) {
    const store = await orRefuse(() => openPlantStore(database.location, { ...database, log }));
    return {
      async add(request, key) {
        let isNew = false;
        const keyed = { add: async (plant: StoredPlant) => (isNew = await store.add(plant, key)) };
        await createPlant(keyed, request as Request<'createPlant'>); // The import has validated it.
        return isNew;
      },
      isUnavailable: (error) => error instanceof DatabaseUnavailable,
      close: () => store.close(),
    };
  },
});
