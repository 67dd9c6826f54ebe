import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { loadYaml, withExcerpt } from '@contract-first/command-line/files';
import type { Environment } from '@contract-first/command-line/options';
import { escapeMarkdown } from '@contract-first/command-line/reports';
import { print, printError, refuse } from '@contract-first/command-line/terminal';
import { escapeControls } from '@contract-first/contract';
import { type AllowedRefs, formatDiagnostic } from '@contract-first/documents';
import { quoteShell } from '@contract-first/model/requests';
import { generate } from '../generate.ts';
import { renderContract } from '../render.ts';
import { addToProject, readExistingProject } from './existing-project.ts';
import { createManifest, type Manifest } from './manifest.ts';
import { findPackageManager, type PackageManager, translateCommands } from './package-manager.ts';
import { findPackages } from './packages.ts';
import { copyMissing, copyTemplate, write } from './project-files.ts';
import { renderTests } from './render-tests.ts';

export type InitOptions = {
  /** The path of the document. */
  readonly document: string;
  /** The folder of the project; by default, the name of the service. */
  readonly folder: string | undefined;
  /** The name of the service; by default, derived from the title of the document. */
  readonly name: string | undefined;
  readonly hasDatabase: boolean;
  /** Whether to print no progress. */
  readonly isQuiet: boolean;
  /** The kinds of files outside its folder that the document may refer to. */
  readonly allowed: AllowedRefs;
};

/**
 * Creates a project for a document, with a handler that responds 501 for each operation, and installs its packages.
 * Keeps existing files. If the document is rejected, exits with an error and writes nothing.
 *
 * @throws if a file cannot be rendered; nothing is written
 */
export async function initialize(options: InitOptions, environment: Environment): Promise<void> {
  const { document: path, allowed, hasDatabase } = options;
  const report = (step: string): void => {
    if (!options.isQuiet) printError(step); // Standard output has the result only.
  };
  report(`reading ${path}`);
  const { requiredParts, files: generated, diagnostics, sources, operationIds } = await renderContract(path, allowed);
  if (requiredParts === undefined || generated === undefined)
    return refuse(
      ...diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(formatDiagnostic)
        .map(withExcerpt),
    );
  const { title: fullTitle } = requiredParts.document.info ?? { title: '' };
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
  const manager = findPackageManager(target, environment['npm_config_user_agent']);
  // A document in the folder stays in place. Other documents with several files are bundled to openapi.yaml.
  const isOneFile = sources.filter((source) => existsSync(source)).length === 1;
  const files = new Map(
    isInPlace
      ? sources.map((source) => [relative(target, source), readFileSync(source, 'utf8')])
      : [['openapi.yaml', isOneFile ? readFileSync(path, 'utf8') : toYaml(generated['openapi.json'])]],
  );

  report(
    `writing ${operationIds.length === 1 ? 'one handler' : `${String(operationIds.length)} handlers`} and their tests`,
  );
  const root = process.cwd();
  const rendered = mkdtempSync(join(tmpdir(), 'init-'));
  let manifest: Manifest;
  try {
    process.chdir(rendered);
    const words = {
      NAME: name.kebab,
      TITLE: escapeMarkdown(title),
      WORDS: name.words,
      CODE: name.code,
      INSTALL: manager.install,
      PRODUCTION: manager.installProduction,
    };
    const parts = [
      'common',
      hasDatabase ? 'database' : 'plain',
      ...(manager.hasSystemShell ? ['shell'] : []),
      ...(manager.isModernYarn ? ['yarn'] : []),
    ];
    for (const part of parts) copyTemplate(part, words);
    write('README.md', translateCommands(readFileSync('README.md', 'utf8'), manager));
    const template = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest; // Part of the template.
    manifest = createManifest(template, { name: name.kebab, description: title }, hasDatabase, packages, manager);
    write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
    // pnpm reads no resolutions in package.json.
    if (manager.name === 'pnpm' && manifest.resolutions !== undefined)
      write('pnpm-workspace.yaml', loadYaml().stringify({ overrides: manifest.resolutions }));
    for (const [file, text] of files) write(file, text);
    const { problems, notes } = await generate({ scaffold: true, needsTypes: false });
    for (const line of problems) printError(line);
    if (!options.isQuiet) for (const line of notes) print(line);
    for (const [file, text] of Object.entries(renderTests(requiredParts.document)))
      write(`test/${file}`, escapeControls(text));
    for (const tarball of packages.tarballs.values()) {
      mkdirSync('vendor', { recursive: true });
      copyFileSync(tarball, join('vendor', basename(tarball)));
    }
    process.chdir(root);
    if (existing !== undefined) manifest = addToProject(existing, manifest, rendered);
    copyMissing(rendered, target, () => {
      if (existing !== undefined)
        write(join(target, 'package.json'), `${JSON.stringify(manifest, null, existing.indent)}\n`);
    });
  } finally {
    process.chdir(root);
    rmSync(rendered, { recursive: true, force: true });
  }
  // Under npx, openapi-typescript is not installed; then the project generates its types after the installation.
  const install = [manager.installArgs, ...(generated['types.ts'] === undefined ? [[manager.run, 'generate']] : [])];
  const isInstalled = install.every((args) => {
    report(`${manager.name} ${withoutOptions(args)}`);
    return runManager(manager.name, args, target, environment);
  });
  const kept = Object.entries(existing?.manifest.scripts ?? {}).flatMap(([script, text]) =>
    manifest.scripts?.[script] === text ? [script] : [],
  );
  const missing = isInstalled ? [] : install.map(withoutOptions);
  if (!options.isQuiet || !isInstalled)
    print(conclusion({ title, folder, operations: operationIds.length, missing, kept, manager }));
}

function withoutOptions(args: readonly string[]): string {
  return args.filter((arg) => !arg.startsWith('-')).join(' ');
}

/** Runs a package manager in a project, and prints its output if it fails. Returns whether it succeeded. */
function runManager(name: string, args: readonly string[], folder: string, environment: Environment): boolean {
  // Package managers are scripts on Windows, which only a shell starts.
  const { status, stdout } = spawnSync([name, ...args].join(' '), {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: true,
  });
  if (status !== 0 && stdout !== '') printError(stdout); // Most package managers print errors on standard output.
  return status === 0;
}

/** Converts a JSON document to YAML. Preserves the digits of integers. */
function toYaml(json = ''): string {
  const { parse, stringify } = loadYaml();
  return stringify(parse(json, { intAsBigInt: true }));
}

type Conclusion = {
  readonly title: string;
  readonly folder: string;
  readonly operations: number;
  /** The commands of the package manager that the user has to repeat. */
  readonly missing: readonly string[];
  /** The existing scripts that were kept. */
  readonly kept: readonly string[];
  readonly manager: PackageManager;
};

function conclusion({ title, folder, operations, missing, kept, manager }: Conclusion): string {
  const count = operations === 1 ? 'one operation' : `${String(operations)} operations`;
  const scripts = {
    start: ['npm start', 'serves it'],
    mock: ['npm run mock', 'serves examples in place of the handlers'],
    test: ['npm test', 'tests every documented status; tests of handlers are skipped until these are written'],
    contract: ['npm run contract', 'checks the running service against the document'],
  };
  const translated = (command = ''): string => translateCommands(command, manager);
  const path = folder.split(sep).join('/'); // The shells of Windows accept both.
  const width = translated(scripts.contract[0]).length;
  const lines = Object.entries(scripts).flatMap(([script, [command, text = '']]) =>
    kept.includes(script) ? [] : [`${translated(command).padEnd(width)}   ${text}`],
  );
  return `
${title} is a service with ${count}. Each responds 501 until its handler is written.

cd ${/^[\w./][\w./:-]*$/.test(path) ? path : quoteShell(path.replace(/^-/, './-'))}
${missing.map((command) => `${manager.name} ${command.padEnd(14)} has failed; repeat it\n`).join('')}${lines.join('\n')}`;
}

const MAX_LENGTH = 40;

/**
 * Derives the names of a service from a title: `pet-store` for paths, `pet store` for the database, and a code of four
 * characters for the database file. The default name is `service`, if no word begins with a Latin letter.
 */
function toServiceName(title: string): Readonly<Record<'kebab' | 'words' | 'code', string>> {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const start = words.findIndex((word) => /^[a-z]/.test(word));
  let kebab = '';
  for (const word of start === -1 ? [] : words.slice(start)) {
    const longer = kebab === '' ? word.slice(0, MAX_LENGTH) : `${kebab}-${word}`;
    if (longer.length > MAX_LENGTH) break;
    kebab = longer;
  }
  if (kebab === '') kebab = 'service';
  return { kebab, words: kebab.replaceAll('-', ' '), code: kebab.replaceAll('-', '').padEnd(4, '_').slice(0, 4) };
}
