import { existsSync, readFileSync } from 'node:fs';
import { glob, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readDeclared } from './codec-modules.ts';
import { findObject } from './object-literals.ts';
import { escapeControls } from '@contract-first/contract';
import { formatDiagnostic, NO_OUTSIDE, type AllowedRefs } from '@contract-first/documents';
import { readIfPresent, withExcerpt } from '@contract-first/command-line/files';
import { print, printError, VERSION } from '@contract-first/command-line/terminal';
import { renderContract, versionOf } from './render.ts';
import { scaffold as addMissing } from './scaffold.ts';

/** The result of the generator. */
export type Generated = {
  /** Whether generated/ is up to date: `false` if the document was rejected, or if `check` found a stale file. */
  readonly isCurrent: boolean;
  /** Errors, warnings and stale files, for standard error. Control characters are escaped. */
  readonly problems: readonly string[];
  /** Written files and missing code, for standard output. */
  readonly notes: readonly string[];
  /** The text of each generated file by name; `undefined` if the document was rejected. */
  readonly files: Readonly<Record<string, string>> | undefined;
  /** The absolute paths of the inputs: the files of the document, `codecs.ts` and `formats.ts`. */
  readonly sources: readonly string[];
};

/** Options of the generator. */
export type GenerateOptions = {
  /** The path of the document; by default, openapi.yaml in the working directory. */
  readonly document?: string | undefined;
  /** Compares the files without writing. */
  readonly check?: boolean;
  /** Adds a module for each operation without a handler, and functions for failure bodies. */
  readonly scaffold?: boolean;
  /** Rejects a document with warnings. */
  readonly strict?: boolean;
  /** The kinds of files outside its folder that the document may refer to; none by default. */
  readonly allowed?: AllowedRefs;
  /** Whether openapi-typescript is required. Otherwise, `types.ts` is omitted if it is not installed. */
  readonly needsTypes?: boolean;
};

// In the application's folder, contract.ts binds the engine to the generated types.
const CONTRACT = 'src/*/contract.ts';

/**
 * Reads a document and writes generated/ in the working directory: `types.ts` with the types of openapi-typescript,
 * `contract.json` with the compiled contract for the engine, and `openapi.json` with the document. If the document is
 * rejected, generated/ stays unchanged.
 */
export async function generate({
  document = 'openapi.yaml',
  check = false,
  scaffold = false,
  strict = false,
  allowed = NO_OUTSIDE,
  needsTypes = true,
}: GenerateOptions = {}): Promise<Generated> {
  const [folder = 'src'] = (await Array.fromAsync(glob(CONTRACT))).map(dirname).sort();
  const declared = readDeclared(folder);
  const reject = (sources: readonly string[], ...problems: readonly string[]): Generated => ({
    isCurrent: false,
    problems: problems.map(escapeControls),
    notes: [],
    files: undefined,
    sources,
  });
  if (declared.problems.length > 0) return reject([resolve(document), ...declared.sources], ...declared.problems);
  const rendered = await renderContract(document, allowed, declared);
  const { files, requiredParts, operationIds, unusedCodecs } = rendered;
  const sources = [...rendered.sources, ...declared.sources];
  const problems = rendered.diagnostics.map(formatDiagnostic).map(withExcerpt);
  if (files === undefined || requiredParts === undefined)
    return reject(sources, ...problems, `${document} was rejected; generated/ is unchanged`);
  if (strict && problems.length > 0)
    return reject(sources, ...problems, `${document} has warnings, which --strict rejects; generated/ is unchanged`);
  if (needsTypes && files['types.ts'] === undefined)
    return reject(
      sources,
      ...problems,
      'install two more packages: npm install --save-dev openapi-typescript typescript',
    );

  const notes: string[] = [];
  // Git may check out the files with the line ends CRLF.
  const present = (name: string): string | undefined => readIfPresent(`generated/${name}`)?.replaceAll('\r\n', '\n');
  const stale = Object.entries(files).filter(([name, text]) => present(name) !== text);
  for (const [name, text] of stale) {
    if (check) {
      problems.push(describeStale(name));
    } else {
      await replaceFile(`generated/${name}`, text);
      notes.push(`generated/${name}`);
    }
  }
  if (stale.length === 0) notes.push('generated/ is up to date');
  if (unusedCodecs.length > 0) notes.push(`codecs without a body in the document: ${unusedCodecs.join(', ')}`);
  const handlers = join(folder, 'handlers.ts');
  if (existsSync(handlers)) {
    if (scaffold && !check) notes.push(...(await addMissing(requiredParts, handlers)));
    notes.push(...findUnmatched(operationIds, handlers));
  }
  return {
    isCurrent: !check || stale.length === 0,
    problems: problems.map(escapeControls),
    notes: notes.map(escapeControls),
    files,
    sources,
  };
}

/** Prints a result, with problems on standard error. Returns the exit code: 1 for stale files, 2 for a rejected document. */
export function printGenerated({ isCurrent, problems, notes, files }: Generated): number {
  for (const problem of problems) printError(problem);
  for (const note of notes) print(note);
  if (files === undefined) return 2;
  return isCurrent ? 0 : 1;
}

function describeStale(name: string): string {
  const writer = versionOf(readIfPresent(`generated/${name}`) ?? '') ?? VERSION;
  const versions = writer === VERSION ? '' : `contract-first ${writer} wrote it, this is ${VERSION}; `;
  return `generated/${name} is stale: ${versions}run npm run generate`;
}

function findUnmatched(operationIds: readonly string[], path: string): readonly string[] {
  const names = findObject(readFileSync(path, 'utf8'), 'createHandlers')?.names;
  return names === undefined
    ? [`cannot read the handler names from ${path}: npm run typecheck names missing and superfluous handlers`]
    : listUnmatched(operationIds, names);
}

/** Lists operations without a handler, and handlers without an operation, in one line each. */
function listUnmatched(operationIds: readonly string[], handlerNames: readonly string[]): readonly string[] {
  const missing = operationIds.filter((operationId) => !handlerNames.includes(operationId));
  const stale = handlerNames.filter((name) => !operationIds.includes(name));
  return [
    ...(missing.length > 0
      ? [`operations without a handler: ${missing.join(', ')}; npm run generate -- --scaffold adds handlers`]
      : []),
    ...(stale.length > 0 ? [`handlers without an operation: ${stale.join(', ')}`] : []),
  ];
}

/** Replaces a file atomically: readers see either the old or the new text. */
async function replaceFile(path: string, text: string): Promise<void> {
  // Without `recursive`, whose error does not name a read-only file system.
  await mkdir('generated').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Node throws no other errors.
  });
  const temporary = `${path}.${String(process.pid)}`; // Unique per process, for concurrent runs.
  await writeFile(temporary, text);
  await rename(temporary, path);
}
