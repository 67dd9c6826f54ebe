import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { rulePages } from './src/rule-pages.ts';

// `npm run pages -w packages/cli` writes the pages of the checks and the rules.
const DOCS = new URL('../../docs/', import.meta.url);
for (const folder of ['checks', 'rules']) rmSync(new URL(folder, DOCS), { recursive: true, force: true });
for (const [path, text] of rulePages()) {
  const file = new URL(path, DOCS);
  mkdirSync(dirname(file.pathname), { recursive: true });
  writeFileSync(file, text);
}
