import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bug } from '@contract-first/documents';

/** The folder of the packages. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Errors of system calls for files that the machine refuses: a file system is full or read-only, for example. */
const REFUSED = ['EACCES', 'EDQUOT', 'EEXIST', 'EIO', 'EMFILE', 'ENFILE', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'];

/**
 * Describes an unexpected error in one line: why the machine refused a system call, or the bug with the place in the code
 * and the part of the document.
 */
export function describeBug(thrown: unknown): string {
  const error = isBug(thrown) ? thrown.cause : thrown;
  if (error instanceof Error && REFUSED.includes((error as NodeJS.ErrnoException).code ?? '')) return error.message;
  const part = isBug(thrown) ? `, at ${thrown.pointer}` : '';
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const [, place] = /(?:file:\/\/|\()(\/[^()\n]*:\d+):\d+\)?$/m.exec(stack) ?? [];
  const [first = ''] = message.split('\n', 1);
  return `a bug of this tool${part}: ${name}: ${first}${place === undefined ? '' : ` (${relative(ROOT, place)})`}`;
}

// Compares the name, since importing the class would load the reader of documents, which some commands do not need.
function isBug(thrown: unknown): thrown is Bug {
  return thrown instanceof Error && thrown.name === 'Bug';
}
