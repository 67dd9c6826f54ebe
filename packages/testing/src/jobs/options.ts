import { parseArgs, type ParseArgsConfig } from 'node:util';
import { refuse } from '@contract-first/command-line/terminal';

/** Parses the arguments of the process; refuses wrong ones with how the program is used. */
export function parseOptions<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  return orRefuse(usage, () => parseArgs({ ...config, allowPositionals: true }));
}

/** Calls a function; refuses with the message of an error that it throws. */
export function orRefuse<Result>(usage: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    return refuse((error as Error).message, usage);
  }
}
