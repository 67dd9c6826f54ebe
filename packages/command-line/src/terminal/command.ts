import { styleText } from 'node:util';
import { escapeControls } from '@contract-first/contract';
import { describeBug } from './describe-bug.ts';

/** A colour of a word. */
export type Style = 'red' | 'yellow' | 'dim';

/**
 * Prints a text on standard output, with escaped control characters.
 *
 * @param styles the colours of words at the beginning of a line, if standard output is a terminal with colours
 */
export function print(text: string, styles: Readonly<Record<string, Style>> = {}): void {
  const words = new RegExp(`(?<=^ *)(?:${Object.keys(styles).join('|')})(?= )`, 'gm');
  const escaped = escapeControls(text);
  const painted = escaped.replace(words, (word) => {
    const style = styles[word];
    return style === undefined ? word : styleText(style, word, { stream: process.stdout });
  });
  process.stdout.write(`${painted}\n`);
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
 * Ends the command with one line and exit code 2 if its output cannot be written. If the reader closed the pipe, as in
 * `… | head`, the command continues without output.
 *
 * @returns a function that removes the handler
 */
export function exitWithoutOutput(): () => void {
  const exit = ({ code }: NodeJS.ErrnoException): void => {
    if (code === 'EPIPE') return;
    printError(`the output cannot be written (${String(code)})`);
    process.exit(2);
  };
  process.stdout.on('error', exit);
  return () => process.stdout.off('error', exit);
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
