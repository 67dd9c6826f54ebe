import { readEnvFile, runApplications } from '@contract-first/engine/tools';
import {
  exitWithoutOutput,
  print,
  printError,
  refuse,
  reportBugs,
  stopWithNpm,
} from '@contract-first/command-line/terminal';
import { writeModule } from '@contract-first/command-line/files';
import { EVENT_LOOP_DELAY_LIMIT_MS } from './application.ts';
import { createMocks, loadDocuments, type LoadedDocument } from './load-mocks.ts';
import { renderHandlers } from './msw.ts';
import { readOptions } from './options.ts';

const USAGE = `contract-first mock [openapi.yaml] [/path=other.yaml…] [options]

Serves an OpenAPI document without any handler: the engine with generated responses. It remembers the
resources that requests create, change and delete, until it ends. Several documents are served below the paths of
their servers, or below the path that is named.

  --data FILE           keep the resources in this JSON file, also until the next start
  --stateless           remember nothing: the same request always gets the same response
  --limit N             remember this many resources up to 50 MB, then forget the oldest (default: 10000)
  --msw FILE            write the responses of --stateless to FILE as handlers for Mock Service Worker, and end
  --seed N              decides which values are generated, and which requests fail (default: 1)
  --list-size N         the number of items of generated lists, as far as their schema allows
  --delay MS            respond after this time, or after one in a range such as 100-500
  --error-rate N        fail this share of the valid requests, such as 0.1 or 10%, with a 5xx
  --callbacks           send the callbacks of the document, to this machine only
  --callback-host HOST  send them to this host, too; repeatable
  --config FILE         a file with corrections of the resources (default: .contract.yaml, if there is one)
  --allow-refs KINDS    let the document refer to files outside of its folder, to http URLs, or both: files,http
  --help                print this text

PORT and HOST are the address (default: port 3000 of this machine), as for a service.`;

/** Serves the mock until a signal ends the process. Returns the exit code of `--help` and `--msw` only. */
export async function mockCommand(args: readonly string[]): Promise<number | undefined> {
  const stopReporting = reportBugs();
  const problems: string[] = [];
  const options = readOptions(args, problems);
  if (problems.length > 0) refuse(...problems, USAGE);
  if (options.isHelpWanted) {
    exitWithoutOutput();
    print(USAGE);
    return 0;
  }
  const loaded = await loadDocuments(options);
  if (options.mswPath !== undefined) return writeHandlers(loaded, options.mswPath, options.seed);
  readEnvFile();
  process.env['EVENT_LOOP_DELAY_LIMIT_MS'] ??= EVENT_LOOP_DELAY_LIMIT_MS;
  const mocks = createMocks(loaded, options);
  stopReporting();
  stopWithNpm();
  const [first, ...others] = mocks.map(({ application }) => application);
  if (first !== undefined) await runApplications([first, ...others]);
  for (const { application, memory } of mocks) {
    const { info, basePaths } = application.contract;
    const title = others.length > 0 ? [`${info.title}  ${basePaths[0] ?? ''}/`] : [];
    if (memory !== undefined && memory.summary.length > 0) print(['', ...title, ...memory.summary].join('\n'));
  }
  return undefined;
}

async function writeHandlers([loaded]: readonly LoadedDocument[], path: string, seed: number): Promise<number> {
  const { text = '', omitted = [] } = loaded === undefined ? {} : renderHandlers(loaded.compiled, seed);
  for (const line of omitted) printError(line);
  await writeModule(path, text).catch((error: unknown) =>
    refuse(`${path} cannot be written: ${(error as Error).message}`),
  );
  print(path);
  return 0;
}
