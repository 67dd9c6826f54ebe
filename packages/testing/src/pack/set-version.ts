import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// `npm run set-version -w packages/testing -- 1.1.0` sets the version of all packages. They depend on exact versions of
// each other, as does the plant store, which has a separate version.
const [version = '', ...rest] = process.argv.slice(2);
const OWN_VERSION = /^( {2}"version": ")[^"]+/m;
const DEPENDENCIES = /("(?:@contract-first\/[a-z]+|contract-first)": ")\d[^"]*/g;

if (rest.length > 0 || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('name the new version: npm run set-version -w packages/testing -- 1.1.0');
  process.exitCode = 2;
} else {
  const packages = readdirSync('packages').map((name) => join('packages', name, 'package.json'));
  for (const path of packages) edit(path, (text) => text.replace(OWN_VERSION, `$1${version}`));
  for (const path of [...packages, 'package.json']) edit(path, (text) => text.replaceAll(DEPENDENCIES, `$1${version}`));
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
