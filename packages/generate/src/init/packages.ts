import { existsSync } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIfPresent } from '@contract-first/command-line/files';
import { refuse, VERSION } from '@contract-first/command-line/terminal';

/** The direct and transitive packages of a project. */
export type Packages = {
  readonly version: string;
  /** The tarballs of packages that are not from a registry, by package name. */
  readonly tarballs: ReadonlyMap<string, string>;
};

type Lock = { readonly packages: Readonly<Record<string, { readonly resolved?: string }>> };

const OWN = fileURLToPath(new URL('../..', import.meta.url));
// The repository has TypeScript; tarballs have JavaScript.
const IS_PACKED = extname(import.meta.url) === '.js';
const MODULES = `${sep}node_modules${sep}`;
const PARTS = ['check', 'command-line', 'contract', 'diff', 'documents', 'engine', 'generate', 'mock', 'model'];
const NAMES = ['contract-first', ...PARTS.map((name) => `@contract-first/${name}`)];

/**
 * Finds the packages of this version at the origin of this package. In the repository, these are the tarballs from
 * `npm run pack -w packages/testing`; exits with an error if there are none.
 *
 * @param hasDatabase whether the project has a store
 */
export function findPackages(hasDatabase: boolean): Packages {
  const names = hasDatabase ? [...NAMES, '@contract-first/database'] : NAMES;
  const tarballs = new Map(
    names.flatMap((name) => {
      const path = IS_PACKED ? installedTarball(name) : packedTarball(name);
      return path === undefined ? [] : [[name, path] as const];
    }),
  );
  return { version: VERSION, tarballs };
}

function packedTarball(name: string): string {
  const folder = join(OWN, '../../packed');
  const path = join(folder, `${name.replace('@', '').replace('/', '-')}-${VERSION}.tgz`);
  if (!existsSync(path)) return refuse(`${path} does not exist: run npm run pack -w packages/testing`);
  return path;
}

/** Returns the tarball from which npm installed a package; `undefined` if it came from a registry. */
function installedTarball(name: string): string | undefined {
  const at = OWN.lastIndexOf(MODULES);
  if (at === -1) return undefined; // Deno's cache has no folder node_modules.
  const root = OWN.slice(0, at);
  const lock = readIfPresent(join(root, 'node_modules/.package-lock.json'));
  if (lock === undefined) return undefined;
  const { packages } = JSON.parse(lock) as Lock; // Written by npm.
  const { resolved = '' } = packages[`node_modules/${name}`] ?? {};
  return resolved.startsWith('file:') ? resolve(root, resolved.slice('file:'.length)) : undefined;
}
