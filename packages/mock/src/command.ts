import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { folderOf, isUrl, watchFolders, writeModule } from '@contract-first/command-line/files';
import {
  describeBug,
  exitWithoutOutput,
  print,
  printError,
  refuse,
  reportBugs,
  reportRefusal,
  stopWithNpm,
} from '@contract-first/command-line/terminal';
import type { Contract } from '@contract-first/contract';
import { compileContract, type CompiledDocument, formatDiagnostic } from '@contract-first/documents';
import type { Application } from '@contract-first/engine';
import { mountsOf, readEnvFile, runApplications } from '@contract-first/engine/tools';
import { type Corrections, readFileCorrections } from '@contract-first/model/resources';
import { CannotCheck } from '@contract-first/model/values';
import { createMock, EVENT_LOOP_DELAY_LIMIT_MS } from './application.ts';
import type { Memory } from './memory/memory.ts';
import { renderHandlers } from './msw.ts';
import { type CommandOptions, readOptions } from './options.ts';

const USAGE = `contract-first mock [openapi.yaml] [/path=other.yaml…] [options]

Serves an OpenAPI document without any handler: the engine with generated responses. It remembers the
resources that requests create, change and delete, until it ends, and serves a document again when its files change.
Several documents are served below the paths of their servers, or below the path that is named.

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

/** Serves the mock until a signal ends the process. Returns an exit code only for `--help` and `--msw`. */
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
  const replace = await runApplications(applicationsOf(mocks));
  printSummaries(mocks);
  reloadChanged(loaded, mocks, options, replace);
  return undefined;
}

type Mocks = ReturnType<typeof createMocks>;

function applicationsOf(mocks: Mocks): [Application, ...Application[]] {
  return mocks.map(({ application }) => application) as [Application, ...Application[]]; // At least one document.
}

function printSummaries(mocks: Mocks): void {
  for (const { application, memory } of mocks) {
    const { info, basePaths } = application.contract;
    const title = mocks.length > 1 ? [`${info.title}  ${basePaths[0] ?? ''}/`] : [];
    if (memory !== undefined && memory.summary.length > 0) print(['', ...title, ...memory.summary].join('\n'));
  }
}

const SETTLE_MS = 50; // A save emits several events.

/** Serves the documents again after a change of their files. Keeps the resources that the new documents allow. */
function reloadChanged(
  loaded: readonly LoadedDocument[],
  mocks: Mocks,
  options: CommandOptions,
  replace: (applications: [Application, ...Application[]]) => Promise<void>,
): void {
  let served = { loaded, mocks };
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  const setWatched = watchFolders((path) => {
    const isSource = served.loaded.some(({ sources }) =>
      sources.some((one) => one === path || one.startsWith(path + sep)),
    );
    if (!isSource) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(update);
    }, SETTLE_MS);
  });
  watch();

  function watch(): void {
    const files = served.loaded.flatMap(({ sources }) => sources.filter((source) => !isUrl(source)));
    try {
      setWatched(files.map(folderOf));
    } catch (error) {
      printError(`changes of the document will not be noticed: ${(error as Error).message}`); // From the system.
    }
  }

  async function update(): Promise<void> {
    try {
      const next = await loadDocuments(options);
      if (next.every(({ text }, index) => text === served.loaded[index]?.text)) return;
      const created = createMocks(next, options, served.mocks);
      await replace(applicationsOf(created));
      served = { loaded: next, mocks: created };
      watch();
      print('\nreloaded the changed document');
      printSummaries(created);
    } catch (error) {
      try {
        reportRefusal(error);
      } catch {
        printError(describeBug(error));
      }
      printError('still serving the last valid document');
    }
  }
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

/** A compiled document of a mock. */
type LoadedDocument = {
  readonly file: string;
  readonly text: string;
  /** The files that the document consists of. */
  readonly sources: readonly string[];
  readonly compiled: CompiledDocument;
};

/** Compiles the documents. Exits with an error if a document is rejected or two documents share a path. */
async function loadDocuments({ documents, allowedRefs }: CommandOptions): Promise<readonly LoadedDocument[]> {
  const loaded: LoadedDocument[] = [];
  for (const { file, basePath } of documents) {
    const { compiled, text, sources, diagnostics } = await compileContract(file, allowedRefs);
    for (const diagnostic of diagnostics) printError(formatDiagnostic(diagnostic));
    if (compiled === undefined) refuse(`${file} was rejected`);
    const contract = basePath === undefined ? compiled.contract : servedBelow(compiled.contract, basePath);
    loaded.push({ file, text, sources, compiled: { ...compiled, contract } });
  }
  const places = loaded.flatMap(({ file, compiled: { contract } }) =>
    mountsOf(contract).map((path) => ({ path, file, title: contract.info.title })),
  );
  for (const [path, [one, other]] of Map.groupBy(places, (place) => place.path)) {
    if (one === undefined || other === undefined) continue;
    const name = other.title.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');
    const advice = `name a path, such as /${name}=${other.file}`;
    refuse(`${one.file} and ${other.file} are both served below ${path || '/'}: ${advice}`);
  }
  return loaded;
}

/**
 * Creates the mocks of documents. Exits with all problems in the corrections and the data.
 *
 * @param previous the mocks of the same documents before they changed
 */
function createMocks(
  loaded: readonly LoadedDocument[],
  options: CommandOptions,
  previous: readonly { readonly memory: Memory | undefined }[] = [],
) {
  const { seed, limit, dataPath, configPath, scenarios } = options;
  try {
    const corrections: Corrections = limit === undefined ? new Map() : readFileCorrections(configPath);
    return loaded.map(({ file, text, compiled }, index) => {
      const memory =
        limit === undefined
          ? undefined
          : {
              limit,
              dataPath,
              corrections: ofDocument(corrections, compiled),
              previous: previous[index]?.memory?.snapshot(),
            };
      const texts = { json: text, yaml: readFileSync(file, 'utf8') };
      return createMock(compiled, texts, { seed, memory, env: process.env, scenarios });
    });
  } catch (error) {
    if (error instanceof CannotCheck) return refuse(...error.message.split('\n'));
    throw error;
  }

  /**
   * Returns the corrections of a document. The first document also gets unmatched corrections, so that they are
   * reported.
   */
  function ofDocument(corrections: Corrections, document: CompiledDocument): Corrections {
    const isIn = ({ document: { paths = {} } }: CompiledDocument, path: string): boolean => Object.hasOwn(paths, path);
    const [first] = loaded;
    const isOwn = (path: string): boolean =>
      isIn(document, path) || (document === first?.compiled && !loaded.some(({ compiled }) => isIn(compiled, path)));
    return new Map([...corrections].filter(([path]) => isOwn(path)));
  }
}

/** Copies a contract with another base path. */
function servedBelow(contract: Contract, basePath: string): Contract {
  const served = { basePaths: [basePath], templatedBasePaths: [] };
  const operations = Object.entries(contract.operations).map(([id, operation]) => [id, { ...operation, ...served }]);
  return { ...contract, ...served, operations: Object.fromEntries(operations) as Contract['operations'] };
}
