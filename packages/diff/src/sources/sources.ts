import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import {
  findCombinations,
  formatDiagnostic,
  loadContract,
  placeDiagnostics,
  type AllowedRefs,
  type FilePosition,
  type OpenApiDocument,
  type ReadFileText,
} from '@contract-first/documents';
import { fetchLocal, isUrl } from '@contract-first/command-line/files';

/** A compared document. */
export type DocumentSource = {
  readonly document: OpenApiDocument;
  /** Returns the location of a JSON pointer without `#`. */
  readonly locate: (pointer: string) => Location;
};

/** A position in a file, with the git revision of the file. */
export type Location = FilePosition & { readonly commit?: string | undefined };

/** A document cannot be read. The message is one line. */
export class Unreadable extends Error {}

/** Reads the files of a document. */
type Reader = {
  readonly path: string;
  readonly read: ReadFileText;
  readonly commit?: string;
  /** The folder that contains all files; by default, the folder of the document. */
  readonly folder?: string | undefined;
};

/**
 * Reads a document from one or several files. Accepts invalid keyword values in schemas of OpenAPI 3.1 and later.
 *
 * @param given a file, a git revision (for its openapi.yaml), `<revision>:<path>`, or an http URL of the local machine
 * @throws {Unreadable} with the side, and the first error in the document
 */
export async function readSource(
  side: 'base' | 'revision',
  given: string,
  allowed: AllowedRefs,
): Promise<DocumentSource> {
  const { path, read, commit, folder } = await chooseReader(given).catch((error: unknown) => {
    throw new Unreadable(`${side} ${given} ${messageOf(error)}`);
  });
  const { document, diagnostics, locate, placeOf } = await loadContract(path, 'structure', read, { folder, allowed });
  const combinations = document === undefined ? [] : findCombinations(document);
  const errors = [
    ...diagnostics.filter(({ severity }) => severity === 'error'),
    ...placeDiagnostics('error', combinations, placeOf),
  ];
  if (document !== undefined && errors.length === 0) {
    return { document, locate: (pointer) => ({ ...locate(`#${pointer}`), commit }) };
  }
  const [first, ...others] = errors;
  const place = (commit === undefined ? '' : `${commit}:`) + (first?.place ?? path);
  const text = formatDiagnostic({ severity: 'error', message: first?.message ?? 'cannot be read', place });
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
  throw new Unreadable(`${side} ${text.replaceAll('\n', ' ')}${more}`);
}

async function chooseReader(given: string): Promise<Reader> {
  if (isUrl(given)) return { path: given, read: fetchLocal, folder: new URL('/', given).href };
  const isFile = await stat(given).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? { path: given, read: () => undefined, folder: await rootOf(given) } : readerOfGit(given);
}

/** Returns the root of the git repository that contains a file. */
async function rootOf(file: string): Promise<string | undefined> {
  return git('-C', dirname(file), 'rev-parse', '--show-toplevel').catch(() => undefined);
}

/** Returns a reader for a git revision. Resolves the commit once, so that all files are from the same commit. */
async function readerOfGit(given: string): Promise<Reader> {
  const [, revision = given, path] = (await commitOf(given)) ? [] : (/^(.+?):(.+)$/.exec(given) ?? []);
  const commit = await commitOf(revision);
  if (commit === undefined) throw new Error('is neither a file nor a git revision');
  const root = await git('rev-parse', '--show-toplevel');
  // As in `git show`, a path is relative to the repository root, unless it starts with a dot.
  const isRelative = path === undefined || /^\.\.?\//.test(path);
  const file = isRelative ? join(process.cwd(), path ?? 'openapi.yaml') : join(root, path);
  const show = async (absolute: string): Promise<string> => {
    const name = relative(root, absolute).split(sep).join('/');
    return git('cat-file', 'blob', `${commit}:${name}`).catch(() => {
      throw new Error(`the git revision ${revision} has no ${name}`);
    });
  };
  return {
    path: relative(process.cwd(), file),
    read: (name) => (isAbsolute(name) ? show(name) : undefined),
    commit: revision,
    folder: root,
  };
}

async function commitOf(revision: string): Promise<string | undefined> {
  const name = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
  return name.catch(() => undefined);
}

/** Returns the output of git without its last line feed. */
async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { maxBuffer: 2 ** 28 });
  return stdout.replace(/\n$/, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
