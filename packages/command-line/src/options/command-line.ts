import { styleText } from 'node:util';
import { Command, CommanderError, Option } from 'commander';
import { print, printError, VERSION } from '../terminal/index.ts';
import { type ArgumentDeclaration, type CommandDeclaration, isNamed, type OptionDeclaration } from './declaration.ts';
import type { GivenOption } from './option-reader.ts';

/** The parsed command line of a command. */
export type ParsedCommandLine = {
  readonly options: ReadonlyMap<string, GivenOption>;
  /** The arguments without a name that are not options. */
  readonly values: readonly string[];
  /** The words after `--`, or the unknown options. */
  readonly rest: readonly string[];
};

/** The exit codes of all commands. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success: nothing was found'],
  ['1', 'findings: failures of a service, breaking changes, stale files'],
  ['2', 'not possible or incomplete: wrong options, an invalid document, no connection'],
  ['128 + N', 'ended by the signal N'],
];

/**
 * Parses a command line. For `--help` and `--version`, and for a mistake, prints a text.
 *
 * @returns the exit code if a text was printed
 */
export function parseCommandLine(declaration: CommandDeclaration, args: readonly string[]): ParsedCommandLine | number {
  const { name, rest: restKind } = declaration;
  const end = restKind === 'command' ? args.indexOf('--') : -1;
  const [ownArgs, commandWords] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const found = new Map<string, { readonly values: string[]; readonly place: string }>();
  const parser = createParser(`contract-first ${name}`)
    .description(declaration.description)
    .allowUnknownOption(restKind === 'unknown options')
    .allowExcessArguments()
    .showHelpAfterError(`see contract-first ${name} --help`)
    .addHelpText('after', () => formatEpilogue(declaration));
  if (restKind === 'command') parser.usage(`${usageOf(declaration)} [-- COMMAND…]`);
  const byName = new Map(declaration.options.map((option) => [option.name, option]));
  for (const option of byName.values()) {
    if (!isNamed(option)) continue;
    parser.addOption(createOption(option));
    parser.on(`option:${option.name}`, (value?: string) => {
      add(option, value);
    });
  }
  addVersion(parser);
  for (const argument of declaration.arguments) parser.argument(formatArgument(argument));
  let values: readonly string[] = [];
  parser.action(() => {
    if (restKind !== 'unknown options') refuseSurplus(parser.args);
    values = giveToArguments(parser.args);
  });
  const exitCode = parse(parser, ownArgs);
  if (exitCode !== undefined) return exitCode;
  // Unknown options and their values are arguments to Commander.
  return restKind === 'unknown options'
    ? { options: found, values: [], rest: parser.args }
    : { options: found, values, rest: commandWords };

  /** Reports the first value after the last argument, with the probable fix. */
  function refuseSurplus(values: readonly string[]): void {
    const surplus = values[declaration.arguments.length];
    if (surplus === undefined || declaration.arguments.some(({ isRepeatable }) => isRepeatable === true)) return;
    const isUrl = /^https?:/.test(surplus) && byName.has('url');
    const fix = isUrl ? `write --url ${surplus}` : restKind === 'command' ? 'write -- before the command' : undefined;
    parser.error(`error: superfluous argument '${surplus}'${fix === undefined ? '' : `: ${fix}`}`);
  }

  /**
   * Assigns values to arguments in order. Skips arguments whose option is given by name. Returns the values that are
   * left.
   */
  function giveToArguments(values: readonly string[]): readonly string[] {
    const open = declaration.arguments.filter(({ name, isRepeatable }) => isRepeatable === true || !found.has(name));
    return values.filter((value, index) => {
      const option = byName.get((open[index] ?? declaration.arguments.at(-1))?.name ?? '');
      if (option !== undefined) add(option, value);
      return option === undefined;
    });
  }

  function add({ name: option, kind }: OptionDeclaration, value: string | undefined): void {
    const { values } = found.get(option) ?? { values: [] };
    if (kind === 'text' && values.length > 0) parser.error(`error: --${option} may be given once`);
    const next = byName.get(value?.replace(/^--/, '') ?? '');
    if (value?.startsWith('--') === true && next !== undefined) parser.error(`error: --${option} needs a value`);
    found.set(option, { place: `--${option}`, values: kind === 'flag' ? values : [...values, value ?? ''] });
  }
}

/** Creates a parser that throws a `CommanderError` after it has printed. */
export function createParser(name: string): Command {
  return new Command(name)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        print(text.trimEnd());
      },
      writeErr: (text) => {
        printError(text.trimEnd());
      },
    })
    .configureHelp({ styleTitle: (title) => styleText('bold', title) })
    .helpOption('-h, --help', 'print this text');
}

/** Adds the option `--version`, as the last option before `--help`. */
export function addVersion(parser: Command): Command {
  return parser.version(VERSION, '-v, --version', 'print the version');
}

/** Parses arguments. Returns the exit code if a text was printed: help, the version or a mistake. */
export function parse(parser: Command, args: readonly string[]): number | undefined {
  try {
    parser.parse(args, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

function createOption({ name, letter, kind, value = 'TEXT', text, group }: OptionDeclaration): Option {
  const repeatable = kind === 'list' || kind === 'pairs' ? '; repeatable' : '';
  const names = letter === undefined ? `--${name}` : `-${letter}, --${name}`;
  const option = new Option(kind === 'flag' ? names : `${names} <${value}>`, text + repeatable);
  return group === undefined ? option : option.helpGroup(`${group}:`);
}

function usageOf(declaration: CommandDeclaration): string {
  return ['[options]', ...declaration.arguments.map(formatArgument)].join(' ');
}

function formatArgument({ name, isRequired = false, isRepeatable = false }: ArgumentDeclaration): string {
  const label = `${name}${isRepeatable ? '...' : ''}`;
  return isRequired ? `<${label}>` : `[${label}]`;
}

function formatEpilogue({ notes = [], examples }: CommandDeclaration): string {
  const title = (text: string): string => styleText('bold', text);
  const lines = examples.map(([line, meaning]) => `  ${meaning}:\n    ${line}`);
  const codes = EXIT_CODES.map(([code, meaning]) => `  ${code.padEnd(9)}${meaning}`);
  return [
    '',
    ...notes.flatMap((note) => [note, '']),
    title('Examples:'),
    ...lines,
    '',
    title('Exit codes:'),
    ...codes,
  ].join('\n');
}
