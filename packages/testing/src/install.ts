import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the packages of a folder with a lock file once: packages that few commands need. Returns `node_modules`. */
export function installPackages(folder: string): string {
  const modules = join(folder, 'node_modules');
  // npm writes this file at the end.
  if (!existsSync(join(modules, '.package-lock.json')))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  return modules;
}
