import { type AllowedRefs, NO_OUTSIDE, readAllowedRefs } from '@contract-first/documents';
import type { OptionReader } from './option-reader.ts';

/**
 * The kind of an option: one text, a list of texts, pairs (`NAME=TEXT`, or a map in a file), a flag without a value, or
 * a map or data that only a file may contain. The command reads data itself.
 */
export type OptionKind = 'text' | 'list' | 'pairs' | 'flag' | 'map' | 'data';

/** An option of a command. Parser, help, completion, options file and its JSON Schema are made of the declaration. */
export type OptionDeclaration = {
  /** The name, which follows `--` on the command line and is the key in a file. */
  readonly name: string;
  /** The letter of its short form: `p` for `-p`. */
  readonly letter?: string;
  readonly kind: OptionKind;
  /** The placeholder of the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly text: string;
  /** The heading in the help; by default, `Options`. */
  readonly group?: string;
  /** The possible values. A value such as `junit:` is the beginning of a possible value. */
  readonly choices?: readonly string[];
  /**
   * `line` for an option that a file must not have, `file` for an option without a name on the command line, `shared`
   * for an option at the top level of the file, for all commands. By default, it is in the section of the command.
   */
  readonly where?: 'line' | 'file' | 'shared';
  /** Whether the value is run as code. */
  readonly isCode?: boolean;
  /** The JSON Schema of the value in a file; by default, derived from `kind`. */
  readonly schema?: object;
};

/** Returns whether an option has a name on the command line. */
export function isNamed({ kind, where }: OptionDeclaration): boolean {
  return kind !== 'map' && kind !== 'data' && where !== 'file';
}

/** An argument without a name. */
export type ArgumentDeclaration = {
  /** The option that the argument sets, or a name of its own. */
  readonly name: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
};

/** A command. */
export type CommandDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ArgumentDeclaration[];
  readonly options: readonly OptionDeclaration[];
  /** Further words that the command accepts: a command after `--`, or unknown options. */
  readonly rest?: 'command' | 'unknown options';
  /** Command lines with their meanings. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Paragraphs after the options. */
  readonly notes?: readonly string[];
  /** The section of the options file with the options; by default, its top level. */
  readonly section?: string;
  /** Whether the command serves requests, also when its output cannot be written. */
  readonly isService?: boolean;
};

/** The option of all commands that read documents. */
export const ALLOW_REFS_OPTION: OptionDeclaration = {
  name: 'allow-refs',
  kind: 'list',
  value: 'KINDS',
  text: 'let the document refer to files outside of its folder, to http URLs, or both: files,http',
  choices: ['files', 'http', 'files,http'],
  where: 'shared',
};

/** The option of all commands that read options from a file. */
export const CONFIG: OptionDeclaration = {
  name: 'config',
  kind: 'text',
  value: 'FILE',
  text: 'a file with options (default: .contract.yaml, if there is one)',
  where: 'line',
};

/** The option of all commands that listen. */
export const PORT: OptionDeclaration = {
  name: 'port',
  letter: 'p',
  kind: 'text',
  value: 'N',
  text: 'listen on this port (default: the environment variable PORT, or 3000)',
};

/** The option of all commands that print notes beside their result. */
export const QUIET: OptionDeclaration = { name: 'quiet', kind: 'flag', text: 'print findings and errors only' };

/** Reads the kinds of files outside its folder that a document may refer to. */
export function readRefs({ textsOf, placeOf, refuse }: OptionReader): AllowedRefs {
  try {
    return readAllowedRefs(textsOf('allow-refs'));
  } catch (error) {
    refuse(`${placeOf('allow-refs').replace(/--allow-refs$/, '')}${(error as Error).message}`);
    return NO_OUTSIDE;
  }
}
