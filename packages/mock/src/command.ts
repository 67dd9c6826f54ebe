import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { folderOf, isUrl, watchFolders, withExcerpt, writeModule } from '@contract-first/command-line/files';
import { defineCommand } from '@contract-first/command-line/options';
import {
  describeBug,
  print,
  printError,
  refuse,
  reportBugs,
  reportRefusal,
  stopWithNpm,
} from '@contract-first/command-line/terminal';
import { type Contract, describeSystemError } from '@contract-first/contract';
import { compileContract, type CompiledDocument, formatDiagnostic } from '@contract-first/documents';
import type { Application } from '@contract-first/engine';
import { mountsOf, readEnvFile, runApplications } from '@contract-first/engine/tools';
import type { Corrections } from '@contract-first/model/resources';
import { CannotCheck } from '@contract-first/model/values';
import { createMock, EVENT_LOOP_DELAY_LIMIT_MS } from './application.ts';
import type { Memory } from './memory/memory.ts';
import { renderHandlers } from './msw.ts';
import { type CommandOptions, MOCK, readMockOptions } from './options.ts';

const CANNOT_START = 2; // The exit code of all commands that cannot do their work.

/** Serves the mock until a signal ends the process. Returns an exit code only for `--msw`. */
export const mockCommand = defineCommand(MOCK, async (given) => {
  const stopReporting = reportBugs();
  const options = orRefuse(() => readMockOptions(given));
  const loaded = await loadDocuments(options);
  if (options.mswPath !== undefined) return writeHandlers(loaded, options.mswPath, options.seed);
  if (options.port !== undefined) process.env['PORT'] = String(options.port); // Before .env, which replaces no variable.
  readEnvFile();
  process.env['EVENT_LOOP_DELAY_LIMIT_MS'] ??= EVENT_LOOP_DELAY_LIMIT_MS;
  const mocks = createMocks(loaded, options);
  stopReporting();
  stopWithNpm();
  const replace = await runApplications(applicationsOf(mocks), CANNOT_START);
  if (!options.isQuiet) {
    printSummaries(mocks);
    void printInvalidExamples(mocks);
  }
  reloadChanged(loaded, mocks, options, replace);
  return undefined;
});

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

const MAX_LINES = 10;

/** Prints the invalid examples, while the mock already answers requests. */
async function printInvalidExamples(mocks: Mocks): Promise<void> {
  const lines: string[] = [];
  for (const { invalidExamples } of mocks) {
    for (const line of invalidExamples()) {
      if (line !== undefined) lines.push(`  ${line}`);
      await nextTurn();
    }
  }
  const more = lines.length > MAX_LINES ? [`  and ${String(lines.length - MAX_LINES)} more`] : [];
  if (lines.length > 0)
    print(['Invalid examples, which are not sent:', ...lines.slice(0, MAX_LINES), ...more].join('\n'));
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
      if (options.isQuiet) return;
      print('\nreloaded the changed document');
      printSummaries(created);
      await printInvalidExamples(created);
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

/** Returns the result of a function. Exits with all problems that it finds in the options, the corrections and the data. */
function orRefuse<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof CannotCheck) return refuse(...error.message.split('\n'));
    throw error;
  }
}

async function writeHandlers([loaded]: readonly LoadedDocument[], path: string, seed: number): Promise<number> {
  const { text = '', omitted = [] } = loaded === undefined ? {} : renderHandlers(loaded.compiled, seed);
  for (const line of omitted) printError(line);
  await writeModule(path, text).catch((error: unknown) =>
    refuse(`${path} cannot be written: ${describeSystemError(error)}`),
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
    const { compiled, source, sources, diagnostics } = await compileContract(file, allowedRefs);
    for (const diagnostic of diagnostics) printError(withExcerpt(formatDiagnostic(diagnostic)));
    if (compiled === undefined) refuse(`${file} was rejected`);
    const contract = basePath === undefined ? compiled.contract : servedBelow(compiled.contract, basePath);
    loaded.push({ file, text: JSON.stringify(source, null, 2), sources, compiled: { ...compiled, contract } });
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
  const { seed, limit, dataPath, corrections, scenarios } = options;
  return orRefuse(() =>
    loaded.map(({ file, text, compiled }, index) => {
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
    }),
  );

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
