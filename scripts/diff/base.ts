import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formatProblem, hasErrors, loadContract, type OpenApiDocument } from '../contract/load.ts';

/** Why there is nothing to compare, in one line. */
export class Unreadable extends Error {}

/**
 * Reads a valid document.
 *
 * @param label what people call the file in messages, where that is not its path
 * @throws Unreadable with the first thing that is wrong
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
 * Reads the document to compare with: a file, or what openapi.yaml was in a git revision.
 *
 * @throws Unreadable when there is no such file or revision, or no valid document in it
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
    throw new Unreadable(`there is no openapi.yaml in the git revision ${revision}`);
  });
}
