import { stringifyYaml } from '@redocly/openapi-core';
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
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { escapeControls } from '@contract-first/contract';
import { formatProblem, loadContract, type AllowedRefs } from '@contract-first/documents';
import { generate } from '../generate/generate.ts';
import { renderContract } from '../generate/render.ts';
import { escapeMarkdown } from '../reports/markdown.ts';
import { print, printError, refuse } from '../terminal/command.ts';
import { createManifest, mergeManifest, type Manifest } from './manifest.ts';
import { toServiceName } from './name.ts';
import { findPackages } from './packages.ts';
import { renderTests } from './render-tests.ts';

const TEMPLATES = fileURLToPath(new URL('templates', import.meta.url));
// npm leaves them out of a package when they have their own names.
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', npmrc: '.npmrc' };

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
 * exist are kept. Exits, with nothing written, when the document is rejected.
 *
 * @throws the error of a file that cannot be rendered, with nothing written
 */
export async function initialize(options: InitOptions): Promise<void> {
  const { document: path, allowed, hasDatabase } = options;
  const { gaps, problems, sources, operationIds } = await renderContract(path, allowed);
  if (gaps === undefined) return refuse(...problems.filter(({ severity }) => severity === 'error').map(formatProblem));
  const { title: fullTitle } = gaps.document.info ?? { title: '' };
  const title = fullTitle.replaceAll(/\s+/g, ' ').trim();
  if (escapeControls(title) !== title) return refuse('info.title must not have control characters');
  const name = toServiceName(options.name ?? title);
  if (options.name !== undefined && options.name !== name.kebab)
    return refuse(`--name must be words in lower case, such as pet-store, not ${options.name}`);

  const target = resolve(options.folder ?? name.kebab);
  const existing = readManifest(target);
  if (existing !== undefined && existing.type !== 'module')
    return refuse(
      `${join(target, 'package.json')} must have "type": "module", since the service consists of ES modules; or name another folder`,
    );
  const packages = findPackages();
  const text = sources.length > 1 ? await bundle(path, allowed) : readFileSync(path, 'utf8');
  const words = { NAME: name.kebab, TITLE: escapeMarkdown(title), WORDS: name.words, CODE: name.code };
  const root = process.cwd();
  const rendered = mkdtempSync(join(tmpdir(), 'init-'));
  const kept: string[] = [];
  try {
    process.chdir(rendered);
    for (const part of ['common', hasDatabase ? 'database' : 'plain']) copyTemplate(join(TEMPLATES, part), words);
    const template = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest; // The template's own.
    const manifest = createManifest(template, { name: name.kebab, description: title }, hasDatabase, packages);
    write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
    write('openapi.yaml', text);
    await generate({ scaffold: true });
    for (const [file, source] of Object.entries(renderTests(gaps.document)))
      await writeFormatted(`test/${file}`, source);
    for (const tarball of packages.tarballs.values()) {
      mkdirSync('vendor', { recursive: true });
      copyFileSync(tarball, join('vendor', basename(tarball)));
    }
    process.chdir(root);
    for (const file of filesIn(rendered)) {
      const to = join(target, file);
      if (existsSync(to)) kept.push(file);
      else {
        mkdirSync(dirname(to), { recursive: true });
        cpSync(join(rendered, file), to); // With its mode.
      }
    }
    if (existing !== undefined)
      write(join(target, 'package.json'), `${JSON.stringify(mergeManifest(existing, manifest), null, 2)}\n`);
  } finally {
    process.chdir(root);
    rmSync(rendered, { recursive: true, force: true });
  }
  for (const file of kept)
    printError(file === 'package.json' ? 'package.json: added the missing entries' : `${file}: kept`);
  const isInstalled = install(target);
  print(conclusion(title, options.folder ?? name.kebab, operationIds.length, isInstalled));
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

function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest; // npm refuses another shape.
  } catch (error) {
    return refuse(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Writes a file, formatted by Prettier if it knows the kind of file. */
async function writeFormatted(path: string, text: string): Promise<void> {
  const { inferredParser: parser } = await getFileInfo(path);
  const safe = escapeControls(text);
  write(path, parser === null ? safe : await format(safe, { ...(await resolveConfig(path)), parser }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Installs the packages of a project, which writes its lock file. Returns whether npm could do so. */
function install(folder: string): boolean {
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32', // npm is a script there.
    });
    return true;
  } catch {
    return false;
  }
}

/** Returns a document that consists of several files as one. */
async function bundle(path: string, allowed: AllowedRefs): Promise<string> {
  const { document } = await loadContract(path, 'validity', undefined, { allowed });
  return stringifyYaml(document);
}

function conclusion(title: string, folder: string, operations: number, isInstalled: boolean): string {
  const count = operations === 1 ? 'one operation' : `${String(operations)} operations`;
  return `
${title} is a service with ${count}. Each responds 501 until its handler is written.

cd ${folder}
${isInstalled ? '' : 'npm install        installs the packages, which has failed\n'}npm start          serves it
npm run mock       serves examples in place of the handlers
npm test           tests every documented status; tests of handlers are expected to fail until these are written
npm run contract   checks that the service does what the document says`;
}
