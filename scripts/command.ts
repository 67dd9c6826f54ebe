/** Prints problems on standard error, one line each, and exits with code 1. */
export function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
