import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Describes an error that is a bug of a tool, in one line with the place where it was thrown. */
export function describeBug(error: unknown): string {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const [, place] = /(?:file:\/\/|\()(\/[^()\n]*:\d+):\d+\)?$/m.exec(stack) ?? [];
  const [first = ''] = message.split('\n', 1);
  return `a bug of this tool: ${name}: ${first}${place === undefined ? '' : ` (${relative(ROOT, place)})`}`;
}
