import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './root.ts'; // Not service.ts: the corpus runs without Jest.

const POLL_MS = 200;
const DOCUMENT = '{ openapi: 3.1.0, info: { title: Empty, version: 1.0.0 }, security: [], paths: {} }\n';

/** The options of `npm install` in tests. */
export const INSTALL_OPTIONS = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** An environment without programs, so that `init` installs no packages. */
export const NO_PROGRAMS = { PATH: '' };

/** The temporary folder of a Jest run, or of this process. */
const runFolder = process.env['TEST_RUN_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'packed-'));

/** Packs the packages if the tarballs are out of date. Returns the folder of the tarballs. */
export async function packedFolder(): Promise<string> {
  const folder = join(ROOT, 'packed');
  await onceInRun('packed', () => {
    if (isPacked(folder)) return; // Already packed, for example by .ci/run.
    execFileSync('npm', ['run', '--silent', 'pack', '-w', 'packages/testing'], { cwd: ROOT, stdio: 'ignore' });
  });
  return folder;
}

/** Returns whether every package has a tarball that is newer than all its files and folders. */
function isPacked(folder: string): boolean {
  const tarballs = existsSync(folder) ? readdirSync(folder) : [];
  const packages = readdirSync(join(ROOT, 'packages')).filter((name) => name !== 'testing');
  if (tarballs.length !== packages.length) return false;
  const timesOf = (paths: readonly string[]): number[] => paths.map((path) => statSync(path).mtimeMs);
  const sources = ['packages', 'LICENSE', 'tsconfig.json'].map((name) => join(ROOT, name));
  const files = packages.flatMap((name) =>
    readdirSync(join(ROOT, 'packages', name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
  );
  const changedAt = Math.max(...timesOf(sources), ...timesOf(files.map((name) => join(ROOT, 'packages', name))));
  return changedAt < Math.min(...timesOf(tarballs.map((name) => join(folder, name))));
}

/**
 * Installs the packages of a project from `contract-first init`, once per run. Returns its folder `node_modules`, to
 * which other projects can link.
 */
export async function installedModules(): Promise<string> {
  await packedFolder();
  return join(
    await onceInRun('installed', (folder) => {
      writeFileSync(join(folder, 'empty.yaml'), DOCUMENT);
      const args = [join(ROOT, 'packages/cli/bin.js'), 'init', 'empty.yaml', 'project'];
      execFileSync(process.execPath, args, { cwd: folder, env: NO_PROGRAMS, stdio: 'ignore' });
      execFileSync('npm', ['install', ...INSTALL_OPTIONS], { cwd: join(folder, 'project'), stdio: 'ignore' });
    }),
    'project/node_modules',
  );
}

/** Runs a job once per run, in a separate folder; other callers wait. Returns the folder. */
async function onceInRun(name: string, job: (folder: string) => void): Promise<string> {
  const [working, done] = [join(runFolder, `${name}-working`), join(runFolder, name)];
  try {
    mkdirSync(working);
  } catch {
    // The time limit of the test applies.
    while (!existsSync(done)) await sleep(POLL_MS);
    return done;
  }
  job(working);
  renameSync(working, done);
  mkdirSync(working);
  return done;
}
