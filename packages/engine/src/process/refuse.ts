import { escapeControls } from '@contract-first/contract';

/** Prints problems to standard error, one line each, and ends the process. */
export function exitWithProblems(problems: readonly string[], exitCode = 1): never {
  for (const problem of problems) console.error(escapeControls(problem));
  process.exit(exitCode);
}
