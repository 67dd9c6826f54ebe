/** Prints problems on standard error, one line each, and exits with code 1. */
export function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}

/** Ends the command with one line if its output cannot be written; silently if the reader closed the pipe. */
export function exitWithoutOutput(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0); // As in `… | head`.
    refuse(`the output cannot be written (${String(code)})`);
  });
}
