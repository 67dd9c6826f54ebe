import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './root.ts'; // Not service.ts: the corpus runs without Jest.

const POLL_MS = 200;
const DOCUMENT = '{ openapi: 3.1.0, info: { title: Empty, version: 1.0.0 }, security: [], paths: {} }\n';

/** Options of an `npm install` in a test. */
export const INSTALL_OPTIONS = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** With this environment, `npm install` installs nothing, and asks no registry: npm prints how it is used. */
export const NOT_INSTALLED = { npm_config_usage: 'true' };

/** The folder of a run of Jest, or of this process. */
const runFolder = process.env['TEST_RUN_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'packed-'));

/** Packs the packages, unless they have not changed since. Returns the folder of their tarballs. */
export async function packedFolder(): Promise<string> {
  const folder = join(ROOT, 'packed');
  await onceInRun('packed', () => {
    if (isPacked(folder)) return; // By .ci/run, for example.
    execFileSync('npm', ['run', '--silent', 'pack', '-w', 'packages/testing'], { cwd: ROOT, stdio: 'ignore' });
  });
  return folder;
}

/** Returns whether every package has a tarball that is newer than the files and folders of all packages. */
function isPacked(folder: string): boolean {
  const tarballs = existsSync(folder) ? readdirSync(folder) : [];
  const packages = readdirSync(join(ROOT, 'packages')).filter((name) => name !== 'testing');
  if (tarballs.length !== packages.length) return false;
  const timesOf = (paths: readonly string[]): number[] => paths.map((path) => statSync(path).mtimeMs);
  const sources = ['packages', 'LICENSE', 'tsconfig.json'].map((name) => join(ROOT, name));
  const files = readdirSync(join(ROOT, 'packages'), { recursive: true, encoding: 'utf8' });
  const changedAt = Math.max(...timesOf(sources), ...timesOf(files.map((name) => join(ROOT, 'packages', name))));
  return changedAt < Math.min(...timesOf(tarballs.map((name) => join(folder, name))));
}

/**
 * Installs the packages of a project that `contract-first init` makes, once in a run. Returns its folder `node_modules`, which
 * other projects can link to.
 */
export async function installedModules(): Promise<string> {
  await packedFolder();
  return join(
    await onceInRun('installed', (folder) => {
      writeFileSync(join(folder, 'empty.yaml'), DOCUMENT);
      const env = { ...process.env, ...NOT_INSTALLED };
      execFileSync('contract-first', ['init', 'empty.yaml', 'project'], { cwd: folder, env, stdio: 'ignore' });
      const npm = (...args: readonly string[]) =>
        execFileSync('npm', args, { cwd: join(folder, 'project'), stdio: 'ignore' });
      npm('pkg', 'delete', 'optionalDependencies'); // The Node that runs the tests saves a third of the time.
      npm('install', ...INSTALL_OPTIONS);
    }),
    'project/node_modules',
  );
}

/** Lets the first caller in a run do a job in a folder of its own, while the others wait. Returns the folder. */
async function onceInRun(name: string, job: (folder: string) => void): Promise<string> {
  const [working, done] = [join(runFolder, `${name}-working`), join(runFolder, name)];
  try {
    mkdirSync(working);
  } catch {
    // The limit is that of the test.
    while (!existsSync(done)) await sleep(POLL_MS);
    return done;
  }
  job(working);
  renameSync(working, done);
  mkdirSync(working);
  return done;
}
