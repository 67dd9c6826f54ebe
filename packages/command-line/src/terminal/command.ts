import { escapeControls } from '@contract-first/contract';
import { describeBug } from './describe-bug.ts';

/** Prints a text on standard output, with escaped control characters. */
export function print(text: string): void {
  process.stdout.write(`${escapeControls(text)}\n`);
}

/** Prints a text on standard error, with escaped control characters. */
export function printError(text: string): void {
  console.error(escapeControls(text)); // Ignores stream errors.
}

/** Thrown to end a command; `reportRefusal` prints its problems. */
class Refusal extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'Refusal';
    this.problems = problems;
  }
}

/** Ends the command with exit code 2 and prints problems on standard error, one per line. */
export function refuse(...problems: readonly string[]): never {
  throw new Refusal(problems);
}

/**
 * Prints the problems of a refusal.
 *
 * @returns the exit code
 * @throws all other errors
 */
export function reportRefusal(error: unknown): number {
  if (!(error instanceof Refusal)) throw error;
  for (const problem of error.problems) printError(problem);
  return 2;
}

/**
 * Ends the command with one line if its output cannot be written. If the reader closed the pipe, as in `… | head`, the
 * command continues without output.
 */
export function exitWithoutOutput(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    printError(`the output cannot be written (${String(code)})`);
    process.exit(2);
  });
}

/**
 * Ends the command with one line for an unexpected error, instead of a stack trace, or with the problems of a refusal.
 *
 * @returns a function that removes the handlers
 */
export function reportBugs(): () => void {
  const report = (error: unknown): never =>
    process.exit(reportRefusal(error instanceof Refusal ? error : new Refusal([describeBug(error)])));
  process.on('uncaughtException', report);
  return () => process.off('uncaughtException', report);
}
