import { readdirSync } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';
import { folderOf, watchFolders } from '@contract-first/command-line/files';
import { describeBug, print, printError, refuse, stopWithNpm } from '@contract-first/command-line/terminal';
import { readAllowedRefs } from '@contract-first/documents';
import { generate, printGenerated } from '../generate.ts';
import { createRestartingService } from './service.ts';

const USAGE = `contract-first dev [--allow-refs KINDS] [options of Node]

Runs src/main.ts. Regenerates after each change of the document or of formats.ts, and restarts the service after each
change of the document or of src/. A rejected document is ignored.

  --allow-refs KINDS  let the document refer to files outside of its folder, to http URLs, or both: files,http
  --help              print this text

Other options are those of Node for the service, such as --inspect.`;
const SETTLE_MS = 30; // A save emits several events: truncate, write, rename.
const SOURCE = resolve('src');

/**
 * Serves the project in the working directory until a signal ends the process. Returns an exit code only for `--help`.
 */
export async function devCommand(args: readonly string[]): Promise<number | undefined> {
  if (args.includes('--help')) {
    print(USAGE);
    return 0;
  }
  const { allowed, nodeOptions } = readArguments(args);
  const service = createRestartingService(nodeOptions);
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
    const isCode = (path + sep).startsWith(SOURCE + sep) && ['.ts', ''].includes(extname(path));
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
}

function readArguments(words: readonly string[]) {
  const isOurs = (word: string | undefined): boolean => /^--allow-refs(?:=|$)/.test(word ?? '');
  const given = words.flatMap((word, index) => {
    if (words[index - 1] === '--allow-refs') return [word];
    return word.startsWith('--allow-refs=') ? [word.slice('--allow-refs='.length)] : [];
  });
  try {
    const nodeOptions = words.filter((word, index) => !isOurs(word) && words[index - 1] !== '--allow-refs');
    return { allowed: readAllowedRefs(given), nodeOptions };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Returns a folder and all nested folders. */
function foldersBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}
