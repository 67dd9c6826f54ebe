import { basename } from 'node:path';
import type { PackageManager } from './package-manager.ts';
import type { Packages } from './packages.ts';

type Names = Readonly<Record<string, string>>;

/** The used members of package.json. */
export type Manifest = {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly scripts?: Names | undefined;
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly resolutions?: Names;
};

const PACKAGES = ['dependencies', 'devDependencies'] as const;

/** Returns the template's manifest with the name and the packages of the service. */
export function createManifest(
  template: Manifest,
  { name, description }: { readonly name: string; readonly description: string },
  hasDatabase: boolean,
  { version, tarballs }: Packages,
  { name: manager, hasSystemShell }: PackageManager,
): Manifest {
  const { scripts, dependencies, devDependencies, ...rest } = template;
  // Unless the manifest names a package, npm searches the registry for it, even if there is a tarball.
  const isNeeded = (packageName: string): boolean => tarballs.has(packageName);
  const inProduction = [
    ...['@contract-first/contract'].filter(isNeeded),
    '@contract-first/engine',
    ...(hasDatabase ? ['@contract-first/database'] : []),
  ];
  const commands = [...tarballs.keys()].filter((packageName) => !inProduction.includes(packageName));
  const specOf = (packageName: string): string => {
    const path = tarballs.get(packageName);
    return path === undefined ? version : `file:vendor/${basename(path)}`;
  };
  const specs = (names: readonly string[]): Names => Object.fromEntries(names.map((each) => [each, specOf(each)]));
  return {
    name,
    version: '0.1.0',
    description,
    private: true,
    type: 'module',
    scripts: hasSystemShell ? scripts : withoutExec(scripts),
    dependencies: { ...dependencies, ...specs(inProduction) },
    devDependencies: sorted({ ...devDependencies, ...specs([...commands, 'contract-first']) }),
    ...rest,
    // Without this member, other package managers search the registry for indirect dependencies.
    ...(tarballs.size > 0 && { [manager === 'bun' ? 'overrides' : 'resolutions']: specs([...tarballs.keys()]) }),
  };
}

/** Adds missing scripts and packages to a manifest. Keeps existing entries, and the Node version of its scripts. */
export function mergeManifest(existing: Manifest, added: Manifest): Manifest {
  const present = new Set(PACKAGES.flatMap((key) => Object.keys(existing[key] ?? {})));
  const packages = PACKAGES.map((key) => {
    const missing = Object.entries(added[key] ?? {}).filter(([name]) => !present.has(name));
    return [key, { ...existing[key], ...Object.fromEntries(missing) }] as const;
  });
  return { ...existing, scripts: { ...added.scripts, ...existing.scripts }, ...Object.fromEntries(packages) };
}

/** Removes the test script and test packages from a manifest. */
export function withoutTests({ scripts, devDependencies, ...rest }: Manifest): Manifest {
  const isOther = ([name]: readonly [string, string]): boolean => !/^(?:test|jest|@jest\/globals)$/.test(name);
  const filter = (names: Names = {}): Names => Object.fromEntries(Object.entries(names).filter(isOther));
  return { ...rest, scripts: filter(scripts), devDependencies: filter(devDependencies) };
}

/** Removes the command `exec` from scripts, which only shells of a system have. */
function withoutExec(scripts: Names = {}): Names {
  return Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, text.replace(/^exec /, '')]));
}

function sorted(names: Names): Names {
  return Object.fromEntries(Object.entries(names).sort(([one], [other]) => (one < other ? -1 : 1)));
}
