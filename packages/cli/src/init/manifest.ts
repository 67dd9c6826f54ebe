import { basename } from 'node:path';
import type { Packages } from './packages.ts';

type Names = Readonly<Record<string, string>>;

/** The parts of package.json that matter here. */
export type Manifest = {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly scripts?: Names | undefined;
  readonly dependencies?: Names;
  readonly devDependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly overrides?: Readonly<Record<string, unknown>>;
};

const MERGED = ['scripts', 'dependencies', 'devDependencies', 'optionalDependencies', 'overrides'] as const;

/** Returns the template's manifest with the name of the service and its packages. */
export function createManifest(
  template: Manifest,
  { name, description }: { readonly name: string; readonly description: string },
  hasDatabase: boolean,
  { version, tarballs }: Packages,
): Manifest {
  const { scripts, dependencies, devDependencies, ...rest } = template;
  const inProduction = ['@contract-first/engine', ...(hasDatabase ? ['@contract-first/database'] : [])];
  const specOf = (packageName: string): string => {
    const path = tarballs.get(packageName);
    return path === undefined ? version : `file:vendor/${basename(path)}`;
  };
  const specs = (names: readonly string[]): Names => Object.fromEntries(names.map((each) => [each, specOf(each)]));
  // Packages that come with others are named, too, where no registry has them.
  const [withEngine, withCommands] =
    tarballs.size > 0 ? [['@contract-first/contract'], ['@contract-first/documents']] : [[], []];
  return {
    name,
    version: '0.1.0',
    description,
    private: true,
    type: 'module',
    scripts,
    dependencies: { ...dependencies, ...specs([...withEngine, ...inProduction]) },
    devDependencies: sorted({ ...devDependencies, ...specs([...withCommands, 'contract-first']) }),
    ...rest,
  };
}

/** Adds missing entries to a manifest. Existing ones stay. */
export function mergeManifest(existing: Manifest, added: Manifest): Manifest {
  const merged = MERGED.map((key) => [key, { ...added[key], ...existing[key] }] as const);
  return { ...existing, ...Object.fromEntries(merged) };
}

function sorted(names: Names): Names {
  return Object.fromEntries(Object.entries(names).sort(([one], [other]) => (one < other ? -1 : 1)));
}
