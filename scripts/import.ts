import { runWithConfiguration } from './command.ts';
import { importPlants } from './import-plants.ts';
import { refuse } from './output.ts';

// `npm run import -- plants.ndjson` stores the output of `npm run export`; without a file, it reads standard input.
// Each line is validated like a request body. Running it again with the same input stores only the missing lines.
const [path = '-', ...rest] = process.argv.slice(2);
if (rest.length > 0 || /^-./.test(path)) refuse('name one file to import, or none for standard input');
await runWithConfiguration(async (configuration) => {
  process.exitCode = await importPlants(path, configuration);
});
