import { globSync, readFileSync, writeFileSync } from 'node:fs';

// `npm run set-version -w packages/testing -- 1.1.0` sets the version of all packages. They depend on exact versions of
// each other, as do the plant store and the examples, which have separate versions.
const [version = '', ...rest] = process.argv.slice(2);
const OWN_VERSION = /^( {2}"version": ")[^"]+/m;
const DEPENDENCIES = /("(?:@contract-first\/[a-z-]+|contract-first)": ")\d[^"]*/g;

if (rest.length > 0 || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('name the new version: npm run set-version -w packages/testing -- 1.1.0');
  process.exitCode = 2;
} else {
  const packages = globSync('packages/*/package.json');
  const dependents = [...packages, ...globSync('examples/*/package.json'), 'package.json'];
  for (const path of packages) edit(path, (text) => text.replace(OWN_VERSION, `$1${version}`));
  for (const path of dependents) edit(path, (text) => text.replaceAll(DEPENDENCIES, `$1${version}`));
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
