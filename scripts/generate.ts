import { parseArgs } from 'node:util';
import { exitWithoutOutput } from './terminal/command.ts';
import { generate } from './generate/generate.ts';

// `npm run generate` writes generated/ from openapi.yaml; with `--check` it only lists stale files, with
// `--scaffold` it also adds missing parts of the application.
exitWithoutOutput();
const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, scaffold: { type: 'boolean', default: false } },
});
const { files, stale } = await generate(values);
process.exitCode = files === undefined || (values.check && stale.length > 0) ? 1 : 0;
