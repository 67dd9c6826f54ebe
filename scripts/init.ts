import { parseArgs } from 'node:util';
import { exitWithoutOutput, refuse } from './terminal/command.ts';
import { initialize } from './init/initialize.ts';

// `npm run init -- DOCUMENT` turns a clone of this project into the service of another document.
const USAGE = 'npm run init -- DOCUMENT [--name NAME]';

exitWithoutOutput();
const { document, name } = readArguments();
await initialize(document, name);

function readArguments() {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { name: { type: 'string' } } });
    const [document, ...rest] = positionals;
    if (document === undefined || rest.length > 0) return refuse('name one OpenAPI document', USAGE);
    return { document, name: values.name };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
