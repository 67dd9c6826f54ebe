import { exitWithoutOutput } from '../terminal/index.ts';
import { type ParsedCommandLine, parseCommandLine } from './command-line.ts';
import type { CommandDeclaration } from './declaration.ts';
import type { Environment } from './option-reader.ts';

/**
 * Runs a command with arguments and environment variables.
 *
 * @returns the exit code; `undefined` if the process continues
 */
export type Command<Code extends number | undefined> = {
  (args: readonly string[], environment?: Environment): Promise<Code | number>;
  readonly declaration: CommandDeclaration;
};

/**
 * Creates a command from its declaration and the function that runs it.
 *
 * @param run runs the command unless help, the version or a mistake in the arguments is printed
 */
export function defineCommand<Code extends number | undefined>(
  declaration: CommandDeclaration,
  run: (given: ParsedCommandLine, environment: Environment) => Promise<Code>,
): Command<Code> {
  const command = async (args: readonly string[], environment: Environment = process.env): Promise<Code | number> => {
    const stopExiting = exitWithoutOutput();
    const given = parseCommandLine(declaration, args);
    if (typeof given === 'number') return given;
    if (declaration.isService === true) stopExiting();
    return run(given, environment);
  };
  return Object.assign(command, { declaration });
}
