import { print, printError, reportRefusal, VERSION } from '@contract-first/command-line/terminal';

type Command = {
  readonly summary: string;
  /** Loads the function that runs the command and returns its exit code, or `undefined` if the process continues. */
  readonly load: () => Promise<(args: readonly string[]) => Promise<number | undefined>>;
};

// Commands are loaded on demand.
const COMMANDS: Readonly<Record<string, Command>> = {
  generate: {
    summary: 'writes generated/ from openapi.yaml',
    load: async () => (await import('@contract-first/generate/command')).generateCommand,
  },
  dev: {
    summary: 'runs the service, and regenerates and restarts it after each change',
    load: async () => (await import('@contract-first/generate/dev')).devCommand,
  },
  mock: {
    summary: 'serves an OpenAPI document without any handler',
    load: async () => (await import('@contract-first/mock/command')).mockCommand,
  },
  check: {
    summary: 'checks a running service against its document',
    load: async () => (await import('@contract-first/check/command')).checkCommand,
  },
  proxy: {
    summary: 'judges the requests that pass through it to a service',
    load: async () => (await import('@contract-first/check/proxy')).proxyCommand,
  },
  diff: {
    summary: 'lists the changes between two documents that break clients',
    load: async () => (await import('@contract-first/diff/command')).diffCommand,
  },
  init: {
    summary: 'makes a service of an OpenAPI document',
    load: async () => (await import('@contract-first/generate/init')).initCommand,
  },
};

const USAGE = `contract-first <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)}  ${summary}`)
  .join('\n')}

contract-first <command> --help lists the options of a command, contract-first --version prints the version.`;

/** Runs the command in the first argument. Returns the exit code; `undefined` if the process continues. */
export async function main([name, ...args]: readonly string[]): Promise<number | undefined> {
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (command !== undefined) {
    const run = await command.load();
    // Exits explicitly, since a failed command may have open handles.
    return run(args).catch((error: unknown) => process.exit(reportRefusal(error)));
  }
  if (name === '--version') {
    print(VERSION);
    return 0;
  }
  if (name === '--help') {
    print(USAGE);
    return 0;
  }
  if (name !== undefined) printError(`unknown command: ${name}`);
  printError(USAGE);
  return 2;
}
