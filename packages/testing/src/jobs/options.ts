import { parseArgs, type ParseArgsConfig } from 'node:util';
import { refuse } from '@contract-first/command-line/terminal';

/** Parses the process arguments. Exits with the usage if they are invalid. */
export function parseOptions<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  return orRefuse(usage, () => parseArgs({ ...config, allowPositionals: true }));
}

/** Calls a function. Exits with the message of a thrown error. */
export function orRefuse<Result>(usage: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    return refuse((error as Error).message, usage);
  }
}
