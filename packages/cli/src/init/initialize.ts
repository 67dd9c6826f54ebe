import { stringifyYaml } from '@redocly/openapi-core';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { escapeControls } from '../../src/engine/contract/escape-controls.ts';
import { quote } from '../check/curl-line.ts';
import { print, refuse } from '../terminal/command.ts';
import { escapeMarkdown } from '../reports/markdown.ts';
import { generate } from '../generate/generate.ts';
import { renderContract } from '../generate/render.ts';
import type { AllowedRefs } from '../openapi/allowed-refs.ts';
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
const MANIFESTS = ['package.json', 'package-lock.json', '.npmrc'];
// Everything is rendered there first. The configuration of the formatter is found from there, too.
const CACHE = 'node_modules/.cache';
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
 * @param allowed the files outside of its folder that the document may refer to
 * @throws the error of a file that cannot be rendered, with nothing changed
 */
export async function initialize(path: string, requestedName: string | undefined, allowed: AllowedRefs): Promise<void> {
  if (!existsSync(APPLICATION)) refuse('this is a service of its own already: start from a fresh clone');
  const isClone = existsSync('.git');
  const changed = isClone ? git('status', '--porcelain', '--untracked-files=no') : '';
  const untracked = isClone ? git('ls-files', '--others', '--exclude-standard', '--', ...REMOVED) : '';
  if (changed !== '' || untracked !== '') refuse('commit or stash your changes first: this command removes files');
  const { gaps, problems, sources, operationIds } = await renderContract(path, allowed);
  if (gaps === undefined) return refuse(...problems.filter(({ severity }) => severity === 'error').map(formatProblem));
  const { title: fullTitle } = gaps.document.info ?? { title: '' };
  const title = fullTitle.replaceAll(/\s+/g, ' ').trim();
  if (escapeControls(title) !== title) return refuse('info.title must not have control characters');
  const name = toServiceName(requestedName ?? title);
  if (requestedName !== undefined && requestedName !== name.kebab)
    return refuse(`--name must be words in lower case, such as pet-store, not ${requestedName}`);

  const text = sources.length > 1 ? await bundle(path, allowed) : readFileSync(path, 'utf8');
  const commit = isClone ? git('rev-parse', '--short', 'HEAD') : 'main';
  const words = { NAME: name.kebab, TITLE: escapeMarkdown(title), WORDS: name.words, CODE: name.code, COMMIT: commit };
  const tests = renderTests(gaps.document);
  const root = process.cwd();
  mkdirSync(CACHE, { recursive: true });
  const rendered = mkdtempSync(join(root, CACHE, 'init-'));
  try {
    for (const file of [...MANIFESTS, ...RENAMED, STRIP_TYPES]) cpSync(file, join(rendered, file));
    cpSync(join(APPLICATION, 'contract.ts'), join(rendered, 'src', name.kebab, 'contract.ts'));
    process.chdir(rendered);
    copyTemplate(words);
    write('openapi.yaml', text);
    for (const file of RENAMED) await rename(file, name, title);
    updateManifests(name.kebab, title);
    await generate({ scaffold: true });
    for (const [file, source] of Object.entries(tests)) await writeFormatted(`test/${file}`, source);
    process.chdir(root);
    for (const removed of [...REMOVED, ...RENAMED]) rmSync(removed, { recursive: true, force: true });
    cpSync(rendered, root, { recursive: true });
  } finally {
    process.chdir(root);
    rmSync(rendered, { recursive: true, force: true });
  }
  print(conclusion(title, name, operationIds.length));
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
    text
      .replaceAll('plant-store', kebab)
      .replaceAll('Description=Plant store', () => `Description=${escapeUnitText(title)}`)
      .replaceAll('plants.db', `${kebab}.db`),
  );
}

/** Writes a file, formatted by Prettier if it knows the kind of file. */
async function writeFormatted(path: string, text: string): Promise<void> {
  const { inferredParser: parser } = await getFileInfo(path);
  const safe = escapeControls(text);
  write(path, parser === null ? safe : await format(safe, { ...(await resolveConfig(path)), parser }));
}

/** Escapes the specifiers of systemd.unit(5). A backslash at the end of a line would join it with the next one. */
function escapeUnitText(text: string): string {
  return text.replaceAll('%', '%%').replace(/\\+$/, '');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** Returns a document that consists of several files as one. */
async function bundle(path: string, allowed: AllowedRefs): Promise<string> {
  const { document } = await loadContract(path, 'validity', undefined, { allowed });
  return stringifyYaml(document);
}

function conclusion(title: string, { kebab }: ServiceName, operations: number): string {
  const count = operations === 1 ? 'one operation' : `${String(operations)} operations`;
  return `
${title} is a service with ${count}. Each responds 501 until its handler in src/${kebab} is written.

npm start          serves it
npm run mock       serves examples in place of the handlers
npm test           tests every documented status; tests of handlers are expected to fail until these are written
git add --all && git commit --message ${quote(title)}`;
}
