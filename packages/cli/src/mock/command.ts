import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { run } from '../src/engine/process/run.ts';
import { ALLOW_REFS, readAllowedRefs, type AllowedRefs } from './openapi/allowed-refs.ts';
import { printError, refuse, reportBugs } from './terminal/command.ts';
import { createMock } from './mock/application.ts';
import { compileContract } from './openapi/compile.ts';
import { formatProblem } from './openapi/load.ts';

// `npm run mock` serves an OpenAPI document without any handler: the engine with generated responses.
const USAGE = 'npm run mock -- [openapi.yaml] [--seed 1] [--allow-refs files,http]';

const stopReporting = reportBugs();
const { path, seed, allowed } = readArguments();
const { compiled, text, problems } = await compileContract(path, allowed);
for (const problem of problems) printError(formatProblem(problem));
if (compiled === undefined) refuse(`${path} was rejected`);
// The first value for a large schema takes long; meanwhile, other requests must not be refused.
process.env['EVENT_LOOP_DELAY_LIMIT_MS'] ??= '60000';
const mock = createMock(compiled, { json: text, yaml: readFileSync(path, 'utf8') }, seed);
stopReporting();
await run(mock);

function readArguments(): { readonly path: string; readonly seed: number; readonly allowed: AllowedRefs } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { seed: { type: 'string', default: '1' }, ...ALLOW_REFS },
    });
    const [path = 'openapi.yaml', ...more] = positionals;
    if (more.length > 0) throw new Error('name one document');
    if (!/^\d+$/.test(values.seed)) throw new Error(`--seed must be an integer, not "${values.seed}"`);
    return { path, seed: Number(values.seed), allowed: readAllowedRefs(values['allow-refs']) };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
