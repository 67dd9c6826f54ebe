import { existsSync, readdirSync } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';
import { folderOf, watchFolders } from '@contract-first/command-line/files';
import { describeBug, printError, refuse, stopWithNpm } from '@contract-first/command-line/terminal';
import {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  createOptionReader,
  defineCommand,
  type ParsedCommandLine,
  PORT,
  readOptionsFile,
  readRefs,
} from '@contract-first/command-line/options';
import { generate, printGenerated } from '../generate.ts';
import { createRestartingService } from './service.ts';

const DEV: CommandDeclaration = {
  name: 'dev',
  description:
    'Runs src/main.ts. Regenerates after each change of the document or of formats.ts, and restarts the service after each change of the document or of src/. A rejected document is ignored. Passes other options to Node, such as --inspect.',
  arguments: [],
  options: [PORT, ALLOW_REFS_OPTION],
  rest: 'unknown options',
  examples: [
    ['contract-first dev --port 4000', 'Serve on port 4000'],
    ['contract-first dev --inspect', 'Debug the service'],
  ],
  section: 'dev',
  isService: true,
};
const MAX_PORT = 65_535;
const SETTLE_MS = 30; // A save emits several events: truncate, write, rename.
const SOURCE = resolve('src');

/** Serves the project in the working directory until a signal ends the process. */
export const devCommand = defineCommand(DEV, async (given) => {
  const { allowed, port } = readOptions(given);
  if (!existsSync('src/main.ts')) refuse('there is no src/main.ts to run: contract-first init writes a project');
  if (port !== undefined) process.env['PORT'] = String(port);
  const service = createRestartingService(given.rest);
  const setWatched = watchFolders(notice);
  const changed = new Set<'contract' | 'code'>(['contract', 'code']);
  let sources: readonly string[] = [resolve('openapi.yaml')];
  let servedFiles: string | undefined;
  let settleTimer: NodeJS.Timeout | undefined;
  let stopping = false;
  let work = update();
  process.stdout.on('error', () => undefined); // Continues without standard output.
  process.once('SIGINT', stop).once('SIGTERM', stop);
  stopWithNpm();
  return undefined;

  function notice(path: string): void {
    const isContract = sources.some((source) => source === path || source.startsWith(path + sep));
    // A path without an extension may be a source folder.
    const isCode = (path + sep).startsWith(SOURCE + sep) && ['.ts', '.sql', ''].includes(extname(path));
    if (isContract) changed.add('contract');
    if (isCode) changed.add('code');
    if (!isContract && !isCode) return;
    clearTimeout(settleTimer);
    settleTimer = setTimeout(() => {
      work = work.then(update);
    }, SETTLE_MS);
  }

  async function update(): Promise<void> {
    try {
      watch(); // Before reading, so that no change is missed.
      const newCode = changed.delete('code');
      const newContract = changed.delete('contract') && (await regenerate());
      if ((newCode || newContract) && !stopping) await service.restart();
    } catch (error) {
      printError(describeBug(error));
    }
  }

  /** Runs the generator. Returns whether the generated files differ from the served files. */
  async function regenerate(): Promise<boolean> {
    const generated = await generate({ allowed });
    printGenerated(generated);
    sources = generated.sources;
    if (!stopping) watch();
    if (generated.files === undefined) {
      printError('still serving the last valid document');
      return false;
    }
    // Not compared with the files on disk, which `npm run generate` may have updated already.
    const files = JSON.stringify(generated.files);
    if (files === servedFiles) return false;
    servedFiles = files;
    return true;
  }

  function watch(): void {
    setWatched([...foldersBelow(SOURCE), ...sources.map(folderOf)]);
  }

  function stop(): void {
    stopping = true;
    clearTimeout(settleTimer);
    void work.then(async () => {
      setWatched([]);
      await service.stop();
    });
  }
});

function readOptions({ options }: ParsedCommandLine) {
  const problems: string[] = [];
  const inFile = readOptionsFile(undefined, DEV, problems);
  const reader = createOptionReader(new Map([...inFile, ...options]), {}, problems);
  const read = { allowed: readRefs(reader), port: reader.readInteger('port', 0, MAX_PORT) };
  if (problems.length > 0) refuse(...problems);
  return read;
}

/** Returns a folder and all nested folders. */
function foldersBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}
