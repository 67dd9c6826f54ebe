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

/** Prints problems on standard error, one line each, and exits with code 1. */
export function refuse(...problems: readonly string[]): never {
  for (const problem of problems) printError(problem);
  process.exit(1);
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
 * Lets the command end with one line for an unexpected error, instead of a stack trace.
 *
 * @returns a function that ends this
 */
export function reportBugs(): () => void {
  const report = (error: unknown): never => refuse(describeBug(error));
  process.on('uncaughtException', report);
  return () => process.off('uncaughtException', report);
}
