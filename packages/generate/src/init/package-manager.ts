import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent } from '@contract-first/command-line/files';

/** The package manager of a project. */
export type PackageManager = {
  /** Its command. */
  readonly name: string;
  /** Its subcommand that runs a script of package.json. */
  readonly run: string;
  /** The arguments that install the packages of a new project. */
  readonly installArgs: readonly string[];
  /** The command that installs exactly the packages of the lock file. It needs only Node and npm. */
  readonly install: string;
  /** Like `install`, without development dependencies. */
  readonly installProduction: string;
  /** Whether a shell of the system runs the scripts. A signal reaches a program there only if it replaces the shell. */
  readonly hasSystemShell: boolean;
  /** Whether its settings are in .yarnrc.yml. */
  readonly isModernYarn: boolean;
};

const LOCK_FILES: readonly (readonly [file: string, name: string])[] = [
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['deno.lock', 'deno'],
];

/**
 * Returns the package manager of a folder, by its lock file; else the package manager that runs this command; else npm.
 *
 * @param agent the variable npm_config_user_agent, which package managers set: `pnpm/11.2.0 npm/? node/v24.0.0`
 */
export function findPackageManager(folder: string, agent = ''): PackageManager {
  const [, caller = '', callerVersion = ''] = /^(\w+)\/(\d[\w.-]*)/.exec(agent === '' ? runtimeAgent() : agent) ?? [];
  const [file = '', name = caller] = LOCK_FILES.find(([lockFile]) => existsSync(join(folder, lockFile))) ?? [];
  if (name === caller) return managerOf(name, callerVersion);
  const isModernYarn = /^__metadata:/m.test(readIfPresent(join(folder, file)) ?? '');
  return managerOf(name, name === 'yarn' ? (isModernYarn ? '4' : '1') : 'latest');
}

/** Returns the variable for `deno run`, which does not set it. */
function runtimeAgent(): string {
  const version = process.versions['deno'];
  return version === undefined ? '' : `deno/${version}`;
}

function managerOf(name: string, version: string): PackageManager {
  const isModernYarn = name === 'yarn' && !version.startsWith('1');
  if (isModernYarn) {
    const yarn = `npx --yes --package=@yarnpkg/cli-dist@${version} yarn`;
    return {
      name,
      run: 'run',
      installArgs: ['install', '--no-immutable'],
      install: `${yarn} install --immutable`,
      installProduction: `${yarn} workspaces focus --production`,
      hasSystemShell: false,
      isModernYarn,
    };
  }
  if (!['pnpm', 'yarn', 'bun', 'deno'].includes(name)) return NPM;
  const install = `npx --yes ${name}@${version} install --frozen-lockfile`;
  const isDeno = name === 'deno';
  return {
    name,
    run: isDeno ? 'task' : 'run',
    installArgs: ['install'],
    install,
    installProduction: `${install} ${isDeno ? '--prod' : '--production'}`,
    hasSystemShell: name === 'pnpm' || name === 'yarn', // Bun has its own shell on Windows.
    isModernYarn,
  };
}

const NPM: PackageManager = {
  name: 'npm',
  run: 'run',
  installArgs: ['install', '--no-audit', '--no-fund', '--loglevel=error'],
  install: 'npm ci',
  installProduction: 'npm ci --omit=dev',
  hasSystemShell: true,
  isModernYarn: false,
};

/** Replaces the commands of npm in a text by the commands of another package manager. */
export function translateCommands(text: string, { name, run }: PackageManager): string {
  if (name === 'npm') return text;
  return text
    .replaceAll(/\bnpm (?:run ([\w:]+)|(start|test))(?: --(?= ))?/g, (_, script?: string, short?: string) =>
      [name, run, script ?? short].join(' '),
    )
    .replaceAll(/\bnpm (?:ci|install)\b/g, `${name} install`);
}
