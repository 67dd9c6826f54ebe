/**
 * Runs a command with the process arguments and sets the exit code.
 *
 * @param load imports the command, which returns its exit code
 */
export declare function runBin(
  load: () => Promise<(args: readonly string[]) => Promise<number | undefined>>,
): Promise<void>;
