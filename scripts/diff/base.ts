import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OpenApiDocument } from '../openapi/reference.ts';
import { formatProblem, hasErrors, loadContract } from '../openapi/load.ts';

/** A document cannot be read; the message is one line. */
export class Unreadable extends Error {}

/**
 * Reads a valid document.
 *
 * @param label the name of the file in messages
 * @throws {Unreadable} with the first error in the document
 */
export async function readDocument(path: string, label = path): Promise<OpenApiDocument> {
  const { document, problems } = await loadContract(path, 'validity');
  if (document !== undefined && !hasErrors(problems)) return document;
  const [first, ...others] = problems.filter(({ severity }) => severity === 'error');
  const place = first?.place.replace(/^[^: ]*/, label) ?? label;
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
  throw new Unreadable(
    formatProblem({ severity: 'error', message: first?.message ?? 'cannot be read', place }).replaceAll('\n', ' ') +
      more,
  );
}

/**
 * Reads the base document: a file, or openapi.yaml of a git revision.
 *
 * @throws {Unreadable} when the file or revision does not exist or has no valid document
 */
export async function readBase(base: string): Promise<OpenApiDocument> {
  if (
    await stat(base).then(
      (found) => found.isFile(),
      () => false,
    )
  )
    return readDocument(base);

  const text = await showFromGit(base);
  const folder = await mkdtemp(join(tmpdir(), 'contract-diff-'));
  try {
    const path = join(folder, 'openapi.yaml');
    await writeFile(path, text);
    return await readDocument(path, `${base}:openapi.yaml`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function showFromGit(revision: string): Promise<string> {
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { maxBuffer: 2 ** 28 })).stdout;
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`).catch(() => {
    throw new Unreadable(`${revision} is neither a file nor a git revision`);
  });
  return git('show', `${commit.trim()}:./openapi.yaml`).catch(() => {
    throw new Unreadable(`the git revision ${revision} has no openapi.yaml`);
  });
}
