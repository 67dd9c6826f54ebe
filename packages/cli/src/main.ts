import {
  addVersion,
  type Command,
  type CommandDeclaration,
  createParser,
  parse,
} from '@contract-first/command-line/options';
import { reportRefusal } from '@contract-first/command-line/terminal';

import type { Summarized } from './completion.ts';

type AnyCommand = Command<number | undefined>;
type Entry = {
  readonly summary: string;
  /** Loads the command. Commands are loaded on demand. */
  readonly load: () => Promise<AnyCommand>;
};

const COMMANDS: ReadonlyMap<string, Entry> = new Map<string, Entry>(
  Object.entries({
    check: {
      summary: 'checks a running service against its document',
      load: async () => (await import('@contract-first/check/command')).checkCommand,
    },
    diff: {
      summary: 'lists the changes between two documents that break clients',
      load: async () => (await import('@contract-first/diff/command')).diffCommand,
    },
    mock: {
      summary: 'serves an OpenAPI document without any handler',
      load: async () => (await import('@contract-first/mock/command')).mockCommand,
    },
    proxy: {
      summary: 'forwards requests to a service, and judges them and the responses',
      load: async () => (await import('@contract-first/check/proxy')).proxyCommand,
    },
    init: {
      summary: 'creates a project for an OpenAPI document',
      load: async () => (await import('@contract-first/generate/init')).initCommand,
    },
    generate: {
      summary: 'writes generated/ from openapi.yaml',
      load: async () => (await import('@contract-first/generate/command')).generateCommand,
    },
    dev: {
      summary: 'runs the service, and regenerates and restarts it after each change',
      load: async () => (await import('@contract-first/generate/dev')).devCommand,
    },
    completion: {
      summary: 'prints the completion of a shell: bash, zsh or fish',
      load: async () => (await import('./completion.ts')).createCompletion(loadAll),
    },
  }),
);

/** Runs the command in the first argument. Returns the exit code; `undefined` if the process continues. */
export async function main(args: readonly string[]): Promise<number | undefined> {
  const [name = '', ...rest] = args;
  const command = COMMANDS.get(name);
  if (command !== undefined) return run(command, rest);
  const [topic = ''] = rest;
  const explained = name === 'help' ? COMMANDS.get(topic) : undefined;
  if (explained !== undefined) return run(explained, ['--help']);
  const parser = createParser('contract-first')
    .description('Tools for a service and its OpenAPI document.')
    .showHelpAfterError('see contract-first --help')
    .addHelpText('after', '\ncontract-first help <command> prints the options of a command.');
  for (const [known, { summary }] of COMMANDS) parser.command(known).description(summary);
  addVersion(parser);
  const word = name === 'help' ? topic : name;
  parser.showSuggestionAfterError(word.length > SHORT || [...COMMANDS.keys()].some((known) => areNear(known, word)));
  if (args.length === 0) return parse(parser, ['--help']);
  return parse(parser, name === 'help' && rest.length > 0 ? rest : args);
}

// Commander suggests words with up to three differences, which are too many for a short word.
const SHORT = 4;

/** Returns whether two words differ in at most one letter, or in the order of two letters. */
function areNear(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [first = '', second = ''] = [one, other].map((word) => word.slice(start, word.length - end));
  return (first.length < 2 && second.length < 2) || first === second.charAt(1) + second.charAt(0);
}

async function run({ load }: Entry, args: readonly string[]): Promise<number | undefined> {
  const command = await load();
  // Exits explicitly, since a failed command may have open handles.
  return command(args).catch((error: unknown) => process.exit(reportRefusal(error)));
}

async function loadAll(): Promise<readonly Summarized[]> {
  const others = [...COMMANDS].filter(([name]) => name !== 'completion');
  return Promise.all(
    others.map(async ([, { summary, load }]) => ({ summary, declaration: (await load()).declaration })),
  );
}

/** Loads the declarations of all commands. */
export async function declarations(): Promise<readonly CommandDeclaration[]> {
  return (await loadAll()).map(({ declaration }) => declaration);
}
