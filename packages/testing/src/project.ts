import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './cleanup.ts';
import { copyBuildInfo, linkModules } from './modules.ts';
import { FIXTURE, ROOT } from './root.ts';

/** An editable copy of a project. Removed when the test ends. */
export type Project = {
  readonly folder: string;
  /** Returns the current text of a file. */
  readonly read: (name: string) => string;
  readonly write: (name: string, text: string) => void;
};

const FILES = ['src', 'scripts', 'generated', 'openapi.yaml', 'package.json'];

/** Copies the files that the package.json scripts need, or only the named files, from a project with this tsconfig. */
export function copyProject(source = FIXTURE, names: readonly string[] = FILES.filter(isIn(source))): Project {
  const folder = temporaryFolder();
  for (const name of names) cpSync(join(source, name), join(folder, name), { recursive: true });
  cpSync(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  copyBuildInfo(ROOT, folder, ['node_modules', 'packages']);
  return {
    folder,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    write(name, text) {
      writeFileSync(join(folder, name), text);
    },
  };
}

const isIn = (folder: string) => (name: string) => existsSync(join(folder, name));

/** Copies a project and the packages, and links the installed packages that satisfy a condition. */
export function copyProjectWithPackages(isInstalled: (name: string) => boolean, source = FIXTURE): Project {
  const project = copyProject(source);
  cpSync(join(ROOT, 'packages'), join(project.folder, 'packages'), { recursive: true });
  const modules = join(project.folder, 'node_modules');
  rmSync(modules);
  linkModules(join(ROOT, 'node_modules'), modules, isInstalled);
  return project;
}

/** Excludes the scripts of a project from its type check. */
export function typecheckApplicationOnly({ read, write }: Project): void {
  write('tsconfig.json', read('tsconfig.json').replace(/"include": .*/, '"include": ["src", "generated"],'));
}

/** Adds operations to a document: `GET /<operationId>`, which responds 204. */
export function withOperations(document: string, ...operationIds: readonly string[]): string {
  const paths = operationIds.map(
    (operationId) => `
  /${operationId}:
    get: { operationId: ${operationId}, responses: { '204': { description: Nothing to tell. } } }`,
  );
  return document.replace('\npaths:', `\npaths:${paths.join('')}`);
}

/** Adds handlers to the source of a handlers module, one per line. */
export function withHandlers(source: string, ...lines: readonly string[]): string {
  return source.replace('  return {\n', `  return {\n${lines.map((line) => `    ${line}\n`).join('')}`);
}
