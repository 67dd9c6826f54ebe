import { existsSync, readFileSync } from 'node:fs';
import { glob, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readIfPresent } from '../read-if-present.ts';
import { readDeclared } from './declared.ts';
import { findObject, listUnmatched } from './handlers.ts';
import { print, printError } from '../terminal/command.ts';
import { formatDiagnostic, NO_OUTSIDE } from '@contract-first/documents';
import { VERSION } from '../version.ts';
import { renderContract, versionOf } from './render.ts';
import { scaffold as addMissing } from './scaffold.ts';

/** The result of a generator run. */
export type Generated = {
  /** The text of every generated file by name; `undefined` when the document was rejected. */
  readonly files: Readonly<Record<string, string>> | undefined;
  /** The names of files that differed on disk. */
  readonly stale: readonly string[];
  /** The absolute paths of the files that the generated ones depend on: those of the document, `codecs.ts` and `formats.ts`. */
  readonly sources: readonly string[];
};

// The folder of an application binds the engine to the generated types in contract.ts.
const CONTRACT = 'src/*/contract.ts';

/**
 * Writes generated/ from openapi.yaml. Prints written files and missing handlers on standard output, problems on standard
 * error. A rejected document leaves generated/ unchanged.
 *
 * @param options.check only reports stale files and writes nothing
 * @param options.scaffold adds a module for each operation without a handler, and functions for the bodies of failures
 * @param options.allowed the files outside of its folder that the document may refer to
 * @param options.needsTypes whether openapi-typescript must be installed; without it, `types.ts` is not written
 */
export async function generate({
  check = false,
  scaffold = false,
  allowed = NO_OUTSIDE,
  needsTypes = true,
} = {}): Promise<Generated> {
  const [folder = 'src'] = (await Array.fromAsync(glob(CONTRACT))).map(dirname).sort();
  const declared = readDeclared(folder);
  if (declared.problems.length > 0) {
    for (const problem of declared.problems) printError(problem);
    return { files: undefined, stale: [], sources: [resolve('openapi.yaml'), ...declared.sources] };
  }
  const rendered = await renderContract('openapi.yaml', allowed, declared);
  const { files, gaps, operationIds, unusedCodecs, diagnostics } = rendered;
  const sources = [...rendered.sources, ...declared.sources];
  for (const diagnostic of diagnostics) printError(formatDiagnostic(diagnostic));
  if (files === undefined || gaps === undefined) {
    printError('openapi.yaml was rejected; generated/ is unchanged');
    return { files, stale: [], sources };
  }
  if (needsTypes && files['types.ts'] === undefined) {
    printError('the types need two more packages: npm install --save-dev openapi-typescript typescript');
    return { files: undefined, stale: [], sources };
  }

  const stale = [];
  for (const [name, text] of Object.entries(files)) {
    const present = readIfPresent(`generated/${name}`);
    if (present === text) continue;
    stale.push(name);
    if (check) {
      const writer = versionOf(present ?? '') ?? VERSION;
      const versions = writer === VERSION ? '' : `contract-first ${writer} wrote it, this is ${VERSION}; `;
      printError(`generated/${name} is stale: ${versions}run npm run generate`);
    } else {
      await replaceFile(`generated/${name}`, text);
      print(`generated/${name}`);
    }
  }
  if (stale.length === 0) print('generated/ is up to date');
  if (unusedCodecs.length > 0) print(`codecs without a body in the document: ${unusedCodecs.join(', ')}`);
  const handlers = join(folder, 'handlers.ts');
  if (existsSync(handlers)) {
    if (scaffold && !check) for (const path of await addMissing(gaps, handlers)) print(path);
    for (const line of findUnmatched(operationIds, handlers)) print(line);
  }
  return { files, stale, sources };
}

function findUnmatched(operationIds: readonly string[], path: string): readonly string[] {
  const names = findObject(readFileSync(path, 'utf8'), 'createHandlers')?.names;
  return names === undefined
    ? [`cannot read the handler names from ${path}: npm run typecheck names missing and superfluous handlers`]
    : listUnmatched(operationIds, names);
}

/** Replaces a file atomically: readers get the old text or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir('generated', { recursive: true });
  const temporary = `${path}.${String(process.pid)}`; // Unique per process: another run may be writing too.
  await writeFile(temporary, text);
  await rename(temporary, path);
}
