import { parseArgs } from 'node:util';
import { ALLOW_REFS, readAllowedRefs } from './openapi/allowed-refs.ts';
import { exitWithoutOutput, refuse, reportBugs } from './terminal/command.ts';
import { generate } from './generate/generate.ts';

// `npm run generate` writes generated/ from openapi.yaml; with `--check` it only lists stale files, with
// `--scaffold` it also adds missing parts of the application.
const USAGE = 'npm run generate -- [--check] [--scaffold] [--allow-refs files,http]';

exitWithoutOutput();
reportBugs();
const { values, allowed } = readArguments();
const { files, stale } = await generate({ ...values, allowed });
process.exitCode = files === undefined || (values.check && stale.length > 0) ? 1 : 0;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        scaffold: { type: 'boolean', default: false },
        ...ALLOW_REFS,
      },
    });
    return { values, allowed: readAllowedRefs(values['allow-refs']) };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
