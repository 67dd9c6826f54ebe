import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { escapeControls } from '@contract-first/contract';
import { formatProblem, loadContract, type AllowedRefs } from '@contract-first/documents';
import { quote } from '../check/curl-line.ts';
import { generate } from '../generate/generate.ts';
import { renderContract } from '../generate/render.ts';
import { escapeMarkdown } from '../reports/markdown.ts';
import { print, printError, refuse } from '../terminal/command.ts';
import { readExistingProject, type ExistingProject } from './existing-project.ts';
import { createManifest, mergeManifest, withoutTests, type Manifest } from './manifest.ts';
import { toServiceName } from './name.ts';
import { findPackages } from './packages.ts';
import { renderTests } from './render-tests.ts';

const TEMPLATES = fileURLToPath(new URL('templates', import.meta.url));
// npm leaves them out of a package when they have their own names.
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', npmrc: '.npmrc' };

/** The variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type InitOptions = {
  /** The path of the document. */
  readonly document: string;
  /** The folder of the project; by default, the name of the service. */
  readonly folder: string | undefined;
  /** The name of the service; by default, it is derived from the title of the document. */
  readonly name: string | undefined;
  readonly hasDatabase: boolean;
  /** The files outside of its folder that the document may refer to. */
  readonly allowed: AllowedRefs;
};

/**
 * Writes a project for a document, with a handler for each operation that responds 501, and installs its packages. Files that
 * exist are kept. Refuses, with nothing written, when the document is rejected.
 *
 * @throws the error of a file that cannot be rendered, with nothing written
 */
export async function initialize(options: InitOptions, environment: Environment): Promise<void> {
  const { document: path, allowed, hasDatabase } = options;
  const { gaps, problems, sources, operationIds } = await renderContract(path, allowed);
  if (gaps === undefined) return refuse(...problems.filter(({ severity }) => severity === 'error').map(formatProblem));
  const { title: fullTitle } = gaps.document.info ?? { title: '' };
  const title = fullTitle.replaceAll(/\s+/g, ' ').trim();
  if (escapeControls(title) !== title) return refuse('info.title must not have control characters');
  const name = toServiceName(options.name ?? title);
  if (options.name !== undefined && options.name !== name.kebab)
    return refuse(`--name must be words in lower case, such as pet-store, not ${options.name}`);

  const folder = options.folder ?? name.kebab;
  const target = resolve(folder);
  const existing = readExistingProject(target);
  const isInPlace = resolve(path) === join(target, 'openapi.yaml');
  if (!isInPlace && existsSync(join(target, 'openapi.yaml')))
    return refuse(`${join(target, 'openapi.yaml')} is another document: rename it, or name another folder`);
  const outside = sources.filter((source) => relative(target, source).startsWith('..'));
  if (isInPlace && outside.length > 0)
    return refuse(`${path} refers to files outside of the folder, such as ${outside[0] ?? ''}: name another folder`);
  const packages = findPackages(hasDatabase);
  // A document in the folder keeps its files; another one of several is bundled into openapi.yaml.
  const isOneFile = sources.filter((source) => existsSync(source)).length === 1;
  const files = new Map(
    isInPlace
      ? sources.map((source) => [relative(target, source), readFileSync(source, 'utf8')])
      : [['openapi.yaml', isOneFile ? readFileSync(path, 'utf8') : await bundle(path, allowed)]],
  );

  const root = process.cwd();
  const rendered = mkdtempSync(join(tmpdir(), 'init-'));
  let manifest: Manifest;
  try {
    process.chdir(rendered);
    const words = { NAME: name.kebab, TITLE: escapeMarkdown(title), WORDS: name.words, CODE: name.code };
    for (const part of ['common', hasDatabase ? 'database' : 'plain']) copyTemplate(join(TEMPLATES, part), words);
    const template = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest; // The template's own.
    manifest = createManifest(template, { name: name.kebab, description: title }, hasDatabase, packages);
    write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
    for (const [file, text] of files) write(file, text);
    await generate({ scaffold: true });
    for (const [file, text] of Object.entries(renderTests(gaps.document))) write(`test/${file}`, escapeControls(text));
    for (const tarball of packages.tarballs.values()) {
      mkdirSync('vendor', { recursive: true });
      copyFileSync(tarball, join('vendor', basename(tarball)));
    }
    process.chdir(root);
    if (existing !== undefined) {
      manifest = addToProject(existing, manifest, rendered);
      write(join(target, 'package.json'), `${JSON.stringify(manifest, null, existing.indent)}\n`);
    }
    copyMissing(rendered, target);
  } finally {
    process.chdir(root);
    rmSync(rendered, { recursive: true, force: true });
  }
  const isInstalled = install(target, environment);
  const kept = Object.entries(existing?.manifest.scripts ?? {}).filter(
    ([script, text]) => manifest.scripts?.[script] === text,
  );
  print(
    conclusion(
      title,
      folder,
      operationIds.length,
      isInstalled,
      kept.map(([script]) => script),
    ),
  );
}

/** Removes the rendered files that would conflict with an existing project. Returns its manifest with the missing entries. */
function addToProject({ manifest, hasTests }: ExistingProject, added: Manifest, rendered: string): Manifest {
  // Settings of npm would change how the other parts of the project are installed.
  for (const file of ['.npmrc', 'package.json', ...(hasTests ? ['test', 'jest.config.js'] : [])])
    rmSync(join(rendered, file), { recursive: true });
  if (hasTests) printError('test: left out, since the project has tests of its own');
  const { scripts: { test, ...scripts } = {}, ...rest } = manifest;
  // Without tests, the script is the placeholder of npm init.
  const own = hasTests && test !== undefined ? manifest : { ...rest, scripts };
  const wanted = hasTests ? withoutTests(added) : added;
  const kept = Object.keys(own.scripts ?? {}).filter((name) => wanted.scripts?.[name] !== undefined);
  const note = kept.length === 0 ? '' : `, kept its scripts ${kept.join(', ')}`;
  printError(`package.json: added the missing entries${note}`);
  return mergeManifest(own, wanted);
}

/** Copies files with their modes. Existing files stay. */
function copyMissing(from: string, to: string): void {
  for (const file of filesIn(from)) {
    const [source, target] = [join(from, file), join(to, file)];
    if (existsSync(target)) {
      if (!readFileSync(source).equals(readFileSync(target))) printError(`${file}: kept`);
    } else {
      mkdirSync(dirname(target), { recursive: true });
      cpSync(source, target);
    }
  }
}

/** Copies a template, with its words in capitals replaced in the names of files and in their texts. */
function copyTemplate(template: string, words: Readonly<Record<string, string>>): void {
  const fill = (text: string): string => text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => words[word] ?? word);
  for (const file of filesIn(template)) {
    const target = RENAMED[file] ?? fill(file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(template, file), target); // With its mode.
    write(target, fill(readFileSync(join(template, file), 'utf8')));
  }
}

/** Returns the files in a folder and below. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Installs the packages of a project, which writes its lock file. Returns whether npm could do so. */
function install(folder: string, environment: Environment): boolean {
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32', // npm is a script there.
    });
    return true;
  } catch {
    return false;
  }
}

/** Returns a document that consists of several files as one. Integers keep their digits. */
async function bundle(path: string, allowed: AllowedRefs): Promise<string> {
  const { text } = await loadContract(path, 'validity', undefined, { allowed });
  return stringify(parse(text, { intAsBigInt: true }));
}

function conclusion(
  title: string,
  folder: string,
  operations: number,
  isInstalled: boolean,
  ownScripts: readonly string[],
): string {
  const count = operations === 1 ? 'one operation' : `${String(operations)} operations`;
  const lines = [
    ['start', 'npm start          serves it'],
    ['mock', 'npm run mock       serves examples in place of the handlers'],
    ['test', 'npm test           tests every documented status; tests of handlers are skipped until these are written'],
    ['contract', 'npm run contract   checks that the service does what the document says'],
  ] as const;
  return `
${title} is a service with ${count}. Each responds 501 until its handler is written.

cd ${/^[\w./-]+$/.test(folder) ? folder : quote(folder)}
${isInstalled ? '' : 'npm install        installs the packages, which has failed\n'}${lines
    .filter(([script]) => !ownScripts.includes(script))
    .map(([, line]) => line)
    .join('\n')}`;
}
