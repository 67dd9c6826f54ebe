/**
 * Declares commands and parses their options, on the command line and in a file.
 *
 * @module @contract-first/command-line/options
 */

export { addVersion, createParser, EXIT_CODES, type ParsedCommandLine, parse } from './command-line.ts';
export {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  CONFIG,
  isNamed,
  type OptionDeclaration,
  PORT,
  QUIET,
  readRefs,
} from './declaration.ts';
export { type Command, defineCommand } from './define-command.ts';
export {
  createOptionReader,
  type Environment,
  type GivenOption,
  type OptionReader,
  type Secret,
} from './option-reader.ts';
export { readTls, type Tls, TLS_OPTIONS } from './tls.ts';
export { readOptionsFile } from './options-file.ts';
