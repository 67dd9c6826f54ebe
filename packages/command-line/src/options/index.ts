/**
 * Parses options on the command line and in a file.
 *
 * @module @contract-first/command-line/options
 */

export { readRefs } from './allowed-refs.ts';
export { type GivenOption, type OptionKind, readCommandLine, readOptionsFile } from './given-options.ts';
export { createOptionReader, type Environment, type OptionReader, type Secret } from './option-reader.ts';
