import { escapeControls } from '@contract-first/contract';

/** Prints problems to standard error, one line each, and ends the process with exit code 1. */
export function exitWithProblems(...problems: readonly string[]): never {
  for (const problem of problems) console.error(escapeControls(problem));
  process.exit(1);
}
