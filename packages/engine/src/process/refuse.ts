import { escapeControls } from '@contract-first/contract';

/** Ends the process with code 1 and problems on standard error, one line each. */
export function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(escapeControls(problem));
  process.exit(1);
}
