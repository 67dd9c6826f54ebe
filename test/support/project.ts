import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './app.ts';
import { ROOT } from './service.ts';

/** A copy of this project to be edited, gone when the test is over. */
export type Project = {
  readonly folder: string;
  /** The text of a file, as it is now. */
  readonly read: (name: string) => string;
  readonly write: (name: string, text: string) => void;
};

/** Copies everything that the commands of package.json need. */
export function copyProject(): Project {
  const folder = temporaryFolder();
  for (const name of ['src', 'scripts', 'generated', 'openapi.yaml', 'tsconfig.json', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    write(name, text) {
      writeFileSync(join(folder, name), text);
    },
  };
}

/** A copy of the project with the contract and the handlers of `test/contracts/<name>` in the place of its own. */
export function copyProjectWithContract(name: string): Project {
  const project = copyProject();
  const contract = join(ROOT, 'test', 'contracts', name);
  cpSync(contract, project.folder, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  // What is about plants.
  const imports = ['scripts/import', 'scripts/import.ts'];
  const bench = ['scripts/bench', 'scripts/bench.ts'];
  for (const ours of ['src/handlers', 'scripts/example.ts', ...imports, ...bench]) {
    rmSync(join(project.folder, ours), { recursive: true });
  }
  cpSync(join(contract, 'handlers.ts'), join(project.folder, 'src', 'handlers', 'handlers.ts'));
  return project;
}

/** The document with more operations: `GET /<operationId>`, answered 204. */
export function withOperations(document: string, ...operationIds: readonly string[]): string {
  const paths = operationIds.map(
    (operationId) => `
  /${operationId}:
    get: { operationId: ${operationId}, responses: { '204': { description: Nothing to tell. } } }`,
  );
  return document.replace('\npaths:', `\npaths:${paths.join('')}`);
}

/** The module of the handlers with more of them, a line each. */
export function withHandlers(source: string, ...lines: readonly string[]): string {
  return source.replace('  return {\n', `  return {\n${lines.map((line) => `    ${line}\n`).join('')}`);
}
