import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { Document } from './document.ts';
import { listOperations } from './document.ts';
import type { FailureBody } from './failures.ts';
import { renderFailureFunction } from './failure-scaffold.ts';
import { findObject } from './handlers.ts';
import { unusedName } from './names.ts';

/** An entry of an object literal that is to be added to a module, and the import that it needs. */
type Entry = { readonly name: string; readonly text: string; readonly imported?: string };

/** The parts of a document that an application completes. */
export type ScaffoldSource = {
  readonly document: Document;
  readonly failures: readonly FailureBody[];
  /** The names of the security schemes that the application checks. */
  readonly uncheckedSchemes: readonly string[];
};

/**
 * Adds what the compiler would name as missing: a module for each operation without a handler, which responds 501, a
 * function for each body of failures, and a checker for each security scheme, which lets nobody in. Existing modules are kept; only entries are added to them.
 *
 * @param handlersPath the module with `createHandlers`
 * @returns the paths of the files that were written
 */
export function scaffold(
  { document, failures: bodies, uncheckedSchemes: schemes }: ScaffoldSource,
  handlersPath: string,
): readonly string[] {
  const folder = dirname(handlersPath);
  return [
    ...scaffoldHandlers(document, handlersPath, folder),
    ...scaffoldFailures(document, bodies, folder),
    ...scaffoldCheckers(schemes, folder),
  ];
}

function scaffoldHandlers(document: Document, handlersPath: string, folder: string): readonly string[] {
  const source = readFileSync(handlersPath, 'utf8');
  const list = findObject(source, 'createHandlers');
  if (list === undefined) return [];
  const present = new Set(list.names);
  const identifiers = new Set(source.match(/[\w$]+/g));
  const files = new Set<string>();
  const written: string[] = [];
  const entries = listOperations(document).flatMap(({ object: { operationId, summary } }): Entry[] => {
    if (present.has(operationId)) return [];
    const identifier = unusedName(toIdentifier(operationId), (name) => identifiers.has(name));
    identifiers.add(identifier);
    const file = unusedName(toFileName(operationId), (name) => files.has(name));
    files.add(file);
    const path = join(folder, `${file}.ts`);
    if (!existsSync(path)) {
      writeFileSync(path, renderHandler(operationId, identifier, summary));
      written.push(path);
    }
    const name = isIdentifier(operationId) ? operationId : quote(operationId);
    const text = name === identifier ? `${name},` : `${name}: ${identifier},`;
    return [{ name: operationId, text, imported: `import { ${identifier} } from './${file}.ts';` }];
  });
  if (entries.length === 0) return [];
  writeFileSync(handlersPath, addEntries(source, list.object, entries));
  return [...written, handlersPath];
}

function renderHandler(operationId: string, identifier: string, summary = ''): string {
  const comment = summary.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const id = quote(operationId);
  const doc = comment === '' ? '' : `/** ${comment.slice(0, 110)} */\n`;
  const signature = `export function ${identifier}(_request: Request<${id}>): Promise<Reply<${id}>> {`;
  return `import { NotImplemented } from '../engine/contract/not-implemented.ts';
import type { Reply, Request } from './contract.ts';

${doc}${signature}
  return Promise.reject(new NotImplemented(${id}));
}
`;
}

function scaffoldFailures(document: Document, bodies: readonly FailureBody[], folder: string): readonly string[] {
  const path = join(folder, 'failures.ts');
  const source = existsSync(path) ? readFileSync(path, 'utf8') : EMPTY_FAILURES;
  const list = findObject(source, 'failures');
  if (list === undefined) return [];
  const entries = bodies
    .filter(({ name }) => !list.names.includes(name))
    .map((body): Entry => {
      const name = isIdentifier(body.name) ? body.name : quote(body.name);
      return { name: body.name, text: `${name}: ${renderFailureFunction(document, body)},` };
    });
  if (entries.length === 0 && existsSync(path)) return [];
  writeFileSync(path, addEntries(source, list.object, entries));
  return [path];
}

function scaffoldCheckers(schemes: readonly string[], folder: string): readonly string[] {
  const path = join(folder, 'checkers.ts');
  const source = existsSync(path) ? readFileSync(path, 'utf8') : EMPTY_CHECKERS;
  const list = findObject(source, 'checkers');
  const missing = schemes.filter((name) => list?.names.includes(name) === false);
  if (list === undefined || missing.length === 0) return [];
  const imported = "import { NotImplemented } from '../engine/contract/not-implemented.ts';";
  const entries = missing.map((name, index): Entry => {
    const key = isIdentifier(name) ? name : quote(name);
    const text = `${key}: () => Promise.reject(new NotImplemented(${quote(`the security scheme ${name}`)})),`;
    return { name, text, ...(index === 0 && !source.includes(imported) && { imported }) };
  });
  writeFileSync(path, addEntries(source, list.object, entries));
  return [path];
}

const EMPTY_CHECKERS = `import type { Checkers } from './contract.ts';

/** Checks the credentials of security schemes that the engine does not know, by the name of the scheme. */
export const checkers = {
} satisfies Checkers;
`;

const EMPTY_FAILURES = `import type { Failures } from './contract.ts';

/** Renders the failures of the service as the document describes them, by the name of their schema. */
export const failures = {
} satisfies Failures;
`;

/** Adds entries to the end of an object literal, and their imports after the last import. */
function addEntries(source: string, object: ts.ObjectLiteralExpression, entries: readonly Entry[]): string {
  const imports = entries.flatMap(({ imported }) => (imported === undefined ? [] : `${imported}\n`));
  const importsAt = Math.max(
    0,
    ...[...source.matchAll(/^import [^;]*;\n/gm)].map((match) => match.index + match[0].length),
  );
  const last = object.properties.at(-1);
  const end = object.end - 1; // Before the closing brace.
  const before = source.slice(importsAt, last?.end ?? end).trimEnd();
  const separator = last === undefined || object.properties.hasTrailingComma ? '' : ',';
  const rest = source.slice(last?.end ?? end, end);
  const line = source.slice(source.lastIndexOf('\n', object.pos + 1) + 1);
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines = entries.map(({ text }) => `${indent}  ${text}\n`);
  const kept = `${before}${separator}${rest.trimEnd()}`;
  return `${source.slice(0, importsAt)}${imports.join('')}${kept}\n${lines.join('')}${indent}${source.slice(end)}`;
}

function toIdentifier(operationId: string): string {
  if (isIdentifier(operationId)) return operationId;
  const [first = 'operation', ...others] = operationId.match(/[A-Za-z0-9]+/g) ?? [];
  const name =
    first.charAt(0).toLowerCase() +
    first.slice(1) +
    others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return isIdentifier(name) ? name : `operation${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function toFileName(operationId: string): string {
  const words = operationId.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').match(/[A-Za-z0-9]+/g) ?? ['operation'];
  return words.join('-').toLowerCase().slice(0, 100);
}

/** Whether a name can be declared: an identifier that is not a keyword. */
function isIdentifier(name: string): boolean {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, name);
  return scanner.scan() === ts.SyntaxKind.Identifier && !['arguments', 'eval', 'undefined'].includes(name);
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
