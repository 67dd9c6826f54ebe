import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { listUnmatched, readHandlerNames } from './handlers.ts';
import { formatProblem } from './load.ts';
import { renderContract } from './render.ts';

/** What came of a run of the generator. */
export type Generated = {
  /** The text of every generated file by its name; `undefined` when the document was refused. */
  readonly files: Readonly<Record<string, string>> | undefined;
  /** Which of them were not on disk like that. */
  readonly stale: readonly string[];
  /** The files that the document is made of: absolute paths. */
  readonly sources: readonly string[];
};

const HANDLERS = 'src/*/handlers.ts';

/**
 * Writes generated/ from openapi.yaml, or only looks (`check`), and tells: what was written and what is left to do on
 * standard output, what is wrong on standard error. A document that is refused leaves generated/ as it was.
 */
export async function generate({ check = false } = {}): Promise<Generated> {
  const { files, operationIds, problems, sources } = await renderContract('openapi.yaml');
  for (const problem of problems) console.error(formatProblem(problem));
  if (files === undefined) {
    console.error('openapi.yaml was refused; generated/ is as it was');
    return { files, stale: [], sources };
  }

  const stale = [];
  for (const [name, text] of Object.entries(files)) {
    if ((await readIfThere(`generated/${name}`)) === text) continue;
    stale.push(name);
    if (check) {
      console.error(`generated/${name} is stale: run npm run generate`);
    } else {
      await replaceFile(`generated/${name}`, text);
      console.log(`generated/${name}`);
    }
  }
  if (stale.length === 0) console.log('generated/ is up to date');
  for (const line of await findUnmatched(operationIds)) console.log(line);
  return { files, stale, sources };
}

async function findUnmatched(operationIds: readonly string[]): Promise<readonly string[]> {
  const [path] = await Array.fromAsync(glob(HANDLERS));
  if (path === undefined) return [];
  const names = readHandlerNames(await readFile(path, 'utf8'));
  return names === undefined
    ? [`${path} has no plain list of handlers to compare with: npm run typecheck names what is left`]
    : listUnmatched(operationIds, names);
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

/** Whoever reads the file meanwhile gets the old text or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir('generated', { recursive: true });
  const unfinished = `${path}.${String(process.pid)}`; // Another run may be writing too.
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}
