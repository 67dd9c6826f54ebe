import { parseArgs } from 'node:util';
import { ALLOW_REFS, readAllowedRefs } from './openapi/allowed-refs.ts';
import { exitWithoutOutput, refuse, reportBugs } from './terminal/command.ts';
import { initialize } from './init/initialize.ts';

// `npm run init -- DOCUMENT` turns a clone of this project into the service of another document.
const USAGE = 'npm run init -- DOCUMENT [--name NAME] [--allow-refs files,http]';

exitWithoutOutput();
reportBugs();
const { document, name, allowed } = readArguments();
await initialize(document, name, allowed);

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { name: { type: 'string' }, ...ALLOW_REFS },
    });
    const [document, ...rest] = positionals;
    if (document === undefined || rest.length > 0) return refuse('name one OpenAPI document', USAGE);
    return { document, name: values.name, allowed: readAllowedRefs(values['allow-refs']) };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
