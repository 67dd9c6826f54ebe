import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ALLOW_REFS, compileContract, formatDiagnostic, readAllowedRefs } from '@contract-first/documents';
import { readEnvFile, runApplications } from '@contract-first/engine/tools';
import { print, printError, refuse, reportBugs } from '../terminal/command.ts';
import { stopWithNpm } from '../terminal/stop-with-npm.ts';
import { readFileCorrections } from '../check/options.ts';
import { CannotCheck } from '../values/oracle.ts';
import { writeModule } from '../generate/write-module.ts';
import { createMock, DEFAULTS, EVENT_LOOP_DELAY_LIMIT_MS } from './application.ts';
import { renderHandlers } from './msw.ts';

const USAGE = `contract-first mock [openapi.yaml] [options]

Serves an OpenAPI document without any handler: the engine with generated responses. It remembers the
resources that requests create, change and delete, until it ends.

  --data FILE         keep the resources in this JSON file, also until the next start
  --stateless         remember nothing: the same request always gets the same response
  --limit N           remember this many resources, then forget the oldest (default: 10000)
  --msw FILE          write the responses of --stateless to FILE as handlers for Mock Service Worker, and end
  --seed N            decides which values are generated (default: 1)
  --config FILE       a file with corrections of the resources (default: .contract.yaml, if there is one)
  --allow-refs KINDS  let the document refer to files outside of its folder, to http URLs, or both: files,http
  --help              print this text`;

/** Serves the mock until a signal ends the process. Returns the exit code of `--help` only. */
export async function mockCommand(args: readonly string[]): Promise<number | undefined> {
  const stopReporting = reportBugs();
  const { path, configPath, dataPath, seed, limit, msw, allowed, isHelpWanted } = readArguments(args);
  if (isHelpWanted) {
    print(USAGE);
    return 0;
  }
  const { compiled, text, diagnostics } = await compileContract(path, allowed);
  for (const diagnostic of diagnostics) printError(formatDiagnostic(diagnostic));
  if (compiled === undefined) refuse(`${path} was rejected`);
  if (msw !== undefined) {
    const { text: handlers, omitted } = renderHandlers(compiled, seed);
    for (const line of omitted) printError(line);
    await writeModule(msw, handlers).catch((error: unknown) =>
      refuse(`${msw} cannot be written: ${(error as Error).message}`),
    );
    print(msw);
    return 0;
  }
  readEnvFile();
  process.env['EVENT_LOOP_DELAY_LIMIT_MS'] ??= EVENT_LOOP_DELAY_LIMIT_MS;
  const texts = { json: text, yaml: readFileSync(path, 'utf8') };
  const { application, memory } = createOrRefuse(() => {
    const memory = limit === undefined ? undefined : { limit, dataPath, corrections: readFileCorrections(configPath) };
    return createMock(compiled, texts, { seed, memory, env: process.env });
  });
  stopReporting();
  stopWithNpm();
  await runApplications([application]);
  if (memory !== undefined && memory.summary.length > 0) print(['', ...memory.summary].join('\n'));
  return undefined;
}

/** Runs a function; refuses with all mistakes in the corrections and the data. */
function createOrRefuse<Result>(create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if (error instanceof CannotCheck) return refuse(...error.message.split('\n'));
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: String(DEFAULTS.seed) },
        limit: { type: 'string', default: String(DEFAULTS.limit) },
        data: { type: 'string' },
        config: { type: 'string' },
        msw: { type: 'string' },
        stateless: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        ...ALLOW_REFS,
      },
    });
    const [path = 'openapi.yaml', ...more] = positionals;
    if (more.length > 0) throw new Error('name one document');
    if (!/^\d+$/.test(values.seed)) throw new Error(`--seed must be an integer, not "${values.seed}"`);
    if (!/^[1-9]\d*$/.test(values.limit)) throw new Error(`--limit must be a positive integer, not "${values.limit}"`);
    if (values.stateless && values.data !== undefined)
      throw new Error('--data needs the memory: leave out --stateless');
    const limit = values.stateless ? undefined : Number(values.limit);
    const allowed = readAllowedRefs(values['allow-refs']);
    const { config: configPath, data: dataPath, msw } = values;
    return { path, configPath, dataPath, seed: Number(values.seed), limit, msw, allowed, isHelpWanted: values.help };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
