import {
  type Command,
  type CommandDeclaration,
  defineCommand,
  isNamed,
  type OptionDeclaration,
} from '@contract-first/command-line/options';
import { print, refuse } from '@contract-first/command-line/terminal';

/** A command with its meaning in half a line. */
export type Summarized = { readonly summary: string; readonly declaration: CommandDeclaration };

const SHELLS: Readonly<Record<string, (commands: readonly Summarized[]) => string>> = {
  bash: formatBash,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${formatBash(commands)}`,
  fish: formatFish,
};

const COMPLETION: CommandDeclaration = {
  name: 'completion',
  description: 'Prints a script that completes commands, options and values in a shell: bash, zsh or fish.',
  arguments: [{ name: 'SHELL', isRequired: true }],
  options: [],
  examples: [
    ['eval "$(contract-first completion bash)"', 'In ~/.bashrc'],
    ['eval "$(contract-first completion zsh)"', 'In ~/.zshrc'],
    ['contract-first completion fish | source', 'In ~/.config/fish/config.fish'],
  ],
};

/** Creates the command that prints completions. @param loadAll loads the other commands */
export function createCompletion(loadAll: () => Promise<readonly Summarized[]>): Command<number> {
  return defineCommand(COMPLETION, async ({ values: [shell = ''] }) => {
    const format = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (format === undefined) return refuse(`${shell} must be one of ${Object.keys(SHELLS).join(', ')}`);
    print(format(await loadAll()));
    return 0;
  });
}

function flagsOf({ options }: CommandDeclaration): readonly OptionDeclaration[] {
  return options.filter(isNamed);
}

/** Formats a function that completes the name of a command, then its options and their values, and else files. */
function formatBash(commands: readonly Summarized[]): string {
  const cases = commands.map(({ declaration: command }) => {
    const flags = ['--help', ...flagsOf(command).map(({ name }) => `--${name}`)];
    const values = flagsOf(command).flatMap(({ name, choices = [] }) =>
      choices.length === 0 ? [] : [`      --${name}) words='${choices.join(' ')}' ;;`],
    );
    return [
      `    ${command.name})`,
      `      case $word in -*) words='${flags.join(' ')}' ;; esac`,
      ...(values.length === 0 ? [] : ['      case $before in', ...values.map((line) => `  ${line}`), '      esac']),
      '      ;;',
    ].join('\n');
  });
  return `_contract_first() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  if [ "$COMP_CWORD" = 1 ]; then words='${commands.map(({ declaration }) => declaration.name).join(' ')} help'; fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _contract_first contract-first`;
}

function formatFish(commands: readonly Summarized[]): string {
  const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
  return commands
    .flatMap(({ summary, declaration: command }) => [
      `complete -c contract-first -n __fish_use_subcommand -a ${command.name} -d ${quote(summary)}`,
      ...flagsOf(command).map(({ name, letter, kind, text, choices = [] }) => {
        const short = letter === undefined ? '' : ` -s ${letter}`;
        const value = kind === 'flag' ? '' : choices.length === 0 ? ' -r' : ` -x -a ${quote(choices.join(' '))}`;
        return `complete -c contract-first -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${short}${value} -d ${quote(text)}`;
      }),
    ])
    .join('\n');
}
