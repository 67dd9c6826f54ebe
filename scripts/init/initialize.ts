import { stringifyYaml } from '@redocly/openapi-core';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { refuse } from '../command.ts';
import { generate } from '../generate/generate.ts';
import { renderContract } from '../generate/render.ts';
import { formatProblem, loadContract } from '../openapi/load.ts';
import { toServiceName, type ServiceName } from './name.ts';
import { updateManifests } from './manifests.ts';
import { renderTests } from './render-tests.ts';

const TEMPLATE = fileURLToPath(new URL('template', import.meta.url));
const APPLICATION = 'src/plants';
const DOCUMENTS = [
  ...[
    'ARCHITECTURE',
    'BEHAVIOUR',
    'CONTRACT',
    'CONTRACT_CHECK',
    'CONTRACT_DIFF',
    'CONTRIBUTING',
    'MOCK',
    'OPERATING',
    'PERFORMANCE',
    'SECURITY',
  ],
  ...['TUTORIAL', 'YOUR_SERVICE'],
];
/** The files about plants. The other files of `scripts` do not change, so that a later version can replace them. */
const REMOVED = [
  ...[APPLICATION, 'scripts/plants', 'test', 'generated', 'openapi.yaml', 'README.md', '.ci/run'],
  ...DOCUMENTS.map((name) => `.github/${name}.md`),
  ...['.github/bench.svg', '.github/docs.png'],
];
const STRIP_TYPES = 'test/strip-types.js';
const RENAMED = [
  ...['.deploy/Containerfile', '.deploy/kubernetes.yaml', '.deploy/plant-store.service'],
  '.github/CONFIGURATION.md',
];

/**
 * Replaces the application in the working directory by one for another document, with a handler for each operation that
 * responds 501. Exits, with nothing changed, when the document is rejected or when git has uncommitted changes.
 *
 * @param path of the document
 * @param requestedName of the service; by default, it is derived from the title of the document
 */
export async function initialize(path: string, requestedName: string | undefined): Promise<void> {
  if (!existsSync(APPLICATION)) refuse('this is a service of its own already: start from a fresh clone');
  const isClone = existsSync('.git');
  const changed = isClone ? git('status', '--porcelain', '--untracked-files=no') : '';
  const untracked = isClone ? git('ls-files', '--others', '--exclude-standard', '--', ...REMOVED) : '';
  if (changed !== '' || untracked !== '') refuse('commit or stash your changes first: this command removes files');
  const { gaps, problems, sources, operationIds } = await renderContract(path);
  if (gaps === undefined) return refuse(...problems.filter(({ severity }) => severity === 'error').map(formatProblem));
  const { title } = gaps.document.info ?? { title: 'Service' };
  const name = toServiceName(requestedName ?? title);
  if (requestedName !== undefined && requestedName !== name.kebab)
    return refuse(`--name must be words in lower case, such as pet-store, not ${requestedName}`);

  const text = sources.length > 1 ? await bundle(path) : readFileSync(path, 'utf8');
  const binding = readFileSync(join(APPLICATION, 'contract.ts'), 'utf8');
  const stripTypes = readFileSync(STRIP_TYPES, 'utf8');
  const commit = isClone ? git('rev-parse', '--short', 'HEAD') : 'main';
  for (const removed of REMOVED) rmSync(removed, { recursive: true, force: true });

  copyTemplate({ NAME: name.kebab, TITLE: title, WORDS: name.words, CODE: name.code, COMMIT: commit });
  write('openapi.yaml', text);
  write(STRIP_TYPES, stripTypes);
  write(`src/${name.kebab}/contract.ts`, binding);
  for (const file of RENAMED) await rename(file, name, title);
  updateManifests(name.kebab, title);
  await generate({ scaffold: true });
  for (const [file, source] of Object.entries(renderTests(gaps.document))) await writeFormatted(`test/${file}`, source);
  console.log(conclusion(title, name, operationIds.length));
}

/** Copies the template, with its words in capitals replaced in the names of files and in their texts. */
function copyTemplate(words: Readonly<Record<string, string>>): void {
  const fill = (text: string): string => text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => words[word] ?? word);
  for (const path of readdirSync(TEMPLATE, { recursive: true, encoding: 'utf8' })) {
    const source = join(TEMPLATE, path);
    if (!statSync(source).isFile()) continue;
    const target = fill(path);
    cpSync(source, target); // With its mode.
    write(target, fill(readFileSync(source, 'utf8')));
  }
}

/** Gives a file the name of the service, also in its text. */
async function rename(path: string, { kebab }: ServiceName, title: string): Promise<void> {
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  await writeFormatted(
    path.replace('plant-store', kebab),
    text.replaceAll('plant-store', kebab).replaceAll('Plant store', title).replaceAll('plants.db', `${kebab}.db`),
  );
}

/** Writes a file, formatted by Prettier if it knows the kind of file. */
async function writeFormatted(path: string, text: string): Promise<void> {
  const { inferredParser: parser } = await getFileInfo(path);
  write(path, parser === null ? text : await format(text, { ...(await resolveConfig(path)), parser }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** Returns a document that consists of several files as one. */
async function bundle(path: string): Promise<string> {
  const { document } = await loadContract(path, 'validity');
  return stringifyYaml(document);
}

function conclusion(title: string, { kebab }: ServiceName, operations: number): string {
  const count = operations === 1 ? 'one operation' : `${String(operations)} operations`;
  return `
${title} is a service with ${count}. Each responds 501 until its handler in src/${kebab} is written.

npm start          serves it
npm run mock       serves examples in place of the handlers
npm test           tests every documented status; tests of handlers are expected to fail until these are written
git add --all && git commit --message "${title.replaceAll('"', '')}"`;
}
