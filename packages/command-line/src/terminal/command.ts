import { escapeControls } from '@contract-first/contract';
import { describeBug } from './describe-bug.ts';

/** Prints a text on standard output, with control characters as escapes. */
export function print(text: string): void {
  process.stdout.write(`${escapeControls(text)}\n`);
}

/** Prints a text on standard error, with control characters as escapes. */
export function printError(text: string): void {
  console.error(escapeControls(text)); // Ignores errors of the stream.
}

/** Ends a command that cannot continue; `reportRefusal` prints its problems. */
class Refusal extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'Refusal';
    this.problems = problems;
  }
}

/** Ends the command with problems, which are printed on standard error, one line each, and with exit code 1. */
export function refuse(...problems: readonly string[]): never {
  throw new Refusal(problems);
}

/**
 * Prints the problems of a command that refused.
 *
 * @returns the exit code
 * @throws any other error
 */
export function reportRefusal(error: unknown): number {
  if (!(error instanceof Refusal)) throw error;
  for (const problem of error.problems) printError(problem);
  return 1;
}

/**
 * Ends the command with one line when its output cannot be written. When the reader has closed the pipe, as in `… | head`,
 * the command goes on without output.
 */
export function exitWithoutOutput(exitCode = 1): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    printError(`the output cannot be written (${String(code)})`);
    process.exit(exitCode);
  });
}

/**
 * Lets the command end with one line for an unexpected error, instead of a stack trace, and with its problems if it refused.
 *
 * @returns a function that ends this
 */
export function reportBugs(): () => void {
  const report = (error: unknown): never =>
    process.exit(reportRefusal(error instanceof Refusal ? error : new Refusal([describeBug(error)])));
  process.on('uncaughtException', report);
  return () => process.off('uncaughtException', report);
}
