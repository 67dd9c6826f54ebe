import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bug } from '@contract-first/documents';

/** The folder of the packages. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Describes an unexpected error in one line, with the place in the code and the part of the document. */
export function describeBug(thrown: unknown): string {
  const error = isBug(thrown) ? thrown.cause : thrown;
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
