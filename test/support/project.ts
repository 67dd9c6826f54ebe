import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
