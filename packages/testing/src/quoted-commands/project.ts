import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installPackages } from '../install.ts';
import { copyBuildInfo, linkModules } from '../modules.ts';

/** A fresh clone of the last commit. */
export type Clone = {
  /** The folder of the next command. */
  readonly folder: string;
  /** Changes the working directory of the following commands to a subfolder. */
  readonly enter: (name: string) => void;
  /** Returns the output of all commands. */
  readonly printed: () => string;
  /** Runs a command to its end. */
  readonly run: (command: string) => Promise<{ readonly code: number | null; readonly output: string }>;
  /**
   * Starts a service after stopping the previous one.
   *
   * @returns its output once `isReady` accepts it, once the service has ended, or after START_MS
   */
  readonly serve: (command: string, isReady: (output: string) => boolean) => Promise<string>;
  /** Stops the service. @throws {Error} if it does not exit with code 0 */
  readonly stopService: () => Promise<void>;
  /** Stops the service, regardless of its exit code, and removes the folder. */
  readonly remove: () => Promise<void>;
};

const START_MS = 30_000;
const POSTGRES = 'packages/testing/postgres';
// The variables that npm needs to access its registry.
const INHERITED = /^(?:PATH|HOME|NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/i;

/**
 * Creates a project. Its commands inherit no service settings, and use free ports. npm prints no messages of its own,
 * and prefers its cache to the registry.
 */
export function createProject(): Clone {
  const root = mkdtempSync(join(tmpdir(), 'documents-'));
  let folder = root;
  execFileSync('git', ['clone', '--quiet', '.', root]);
  execFileSync('git', ['update-ref', 'refs/remotes/origin/main', 'HEAD'], { cwd: root });
  installPackages(POSTGRES); // Otherwise, the tests of each document would install PostgreSQL.
  for (const installed of ['.', POSTGRES, ...readdirSync('packages').map((name) => `packages/${name}`)]) {
    const modules = join(installed, 'node_modules');
    if (existsSync(modules)) linkModules(resolve(modules), join(root, modules));
  }
  // The tarballs of `npm run pack -w packages/testing`, which .ci/run executes.
  if (existsSync('packed')) symlinkSync(resolve('packed'), join(root, 'packed'));
  copyBuildInfo('.', root, ['node_modules', 'packages/[^/]+/node_modules']);

  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)));
  // `--silent`, since curl prints its progress if there is no terminal.
  const setup = 'exec 2>&1; curl() { command curl --silent "$@"; }';
  const npm = { NPM_CONFIG_LOGLEVEL: 'silent', NPM_CONFIG_PREFER_OFFLINE: 'true' };
  const env = { ...inherited, ...npm, PORT: '0', OPS_PORT: '0' };
  let printed = '';
  let stopService = async (): Promise<void> => undefined;

  function start(command: string, onOutput: (text: string) => void) {
    const child = spawn('bash', ['-c', `${setup}\n${command}`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      onOutput(text);
    });
    return { child, ended: once(child, 'close') as Promise<[number | null]> };
  }

  async function run(command: string) {
    let output = '';
    const { ended } = start(command, (text) => (output += text));
    const [code] = await ended;
    return { code, output };
  }

  async function serve(command: string, isReady: (output: string) => boolean): Promise<string> {
    await stopService();
    let output = '';
    const ready = Promise.withResolvers<undefined>();
    const { child, ended } = start(`exec env ${command}`, (text) => {
      output += text;
      if (isReady(output)) ready.resolve(undefined);
    });
    stopService = async () => {
      stopService = async () => undefined;
      child.kill();
      const [code] = await ended;
      // Checks only `npm start`, which replaces the shell; otherwise, npm ends at once with its shell.
      if (code !== 0 && command.includes('npm start'))
        throw new Error(`${command} ended with code ${String(code)}:\n${output}`);
    };
    const timer = setTimeout(ready.resolve, START_MS, undefined);
    await Promise.race([ready.promise, ended]);
    clearTimeout(timer);
    return output;
  }

  async function remove(): Promise<void> {
    await stopService().catch(() => undefined); // Ignores the exit code.
    rmSync(root, { recursive: true });
  }

  return {
    get folder() {
      return folder;
    },
    enter: (name) => {
      folder = join(folder, name);
    },
    printed: () => printed,
    run,
    serve,
    stopService: () => stopService(),
    remove,
  };
}
