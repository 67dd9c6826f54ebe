import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capitalize, listOperations, unusedName, type Document, type FailureBody } from '@contract-first/documents';
import { readIfPresent, writeModule } from '@contract-first/command-line/files';
import { createFailureTemplates, indent, quoteString, renderTemplate } from '@contract-first/model/scaffolds';
import { createValues } from '@contract-first/model/values';
import { findObject, isIdentifier, type ObjectInSource } from './object-literals.ts';

const NOT_IMPLEMENTED = "import { NotImplemented } from '@contract-first/engine';";

/** The parts that an application must implement. */
export type RequiredParts = {
  /** The normalized document, in which every operation has an operationId. */
  readonly document: Document;
  readonly failureBodies: readonly FailureBody[];
  /** The names of the security schemes that the application checks. */
  readonly uncheckedSchemes: readonly string[];
};

/**
 * Adds the parts that the compiler would report as missing: for each operation, a module with a handler that responds
 * 501; for each failure body, a function; and for each security scheme, a checker that rejects all credentials. Only
 * adds entries to existing modules. Formats the files if the project has Prettier.
 *
 * @param handlersPath the module with `createHandlers`
 * @returns the paths of the written files
 */
export async function scaffold(
  { document, failureBodies, uncheckedSchemes }: RequiredParts,
  handlersPath: string,
): Promise<readonly string[]> {
  const folder = dirname(handlersPath);
  const { bodyOf } = createFailureTemplates(createValues(document, 0, 'response'));
  const failures = failureBodies.map((body) => ({ name: body.name, value: renderTemplate(bodyOf(body)) }));
  const checkers = uncheckedSchemes.map((name) => ({
    name,
    value: `() => Promise.reject(new NotImplemented(${quoteString(`the security scheme ${name}`)}))`,
  }));
  return [
    ...(await scaffoldHandlers(document, handlersPath, folder)),
    ...(await addMissing(join(folder, 'failures.ts'), 'failures', EMPTY_FAILURES, failures, importFor(failures))),
    // Most applications need no checkers.
    ...(checkers.length > 0
      ? await addMissing(join(folder, 'checkers.ts'), 'checkers', EMPTY_CHECKERS, checkers, NOT_IMPLEMENTED)
      : []),
  ];
}

/** Returns the import of the formats, if the failure functions decode strings. */
function importFor(failures: readonly { readonly value: string }[]): string | undefined {
  const isDecoding = failures.some(({ value }) => value.includes('formats['));
  return isDecoding ? "import { formats } from './formats.ts';" : undefined;
}

async function scaffoldHandlers(document: Document, handlersPath: string, folder: string): Promise<readonly string[]> {
  const source = readFileSync(handlersPath, 'utf8');
  const list = findObject(source, 'createHandlers');
  if (list === undefined) return [];
  const present = new Set(list.names);
  const identifiers = new Set(source.match(/[\w$]+/g));
  const files = new Set<string>();
  const written: string[] = [];
  const imports: string[] = [];
  const members: string[] = [];
  for (const { object } of listOperations(document)) {
    const { operationId, summary } = object;
    if (present.has(operationId)) continue;
    const identifier = unusedName(toIdentifier(operationId), (name) => identifiers.has(name));
    identifiers.add(identifier);
    const file = unusedName(toFileName(operationId), (name) => files.has(name));
    files.add(file);
    const path = join(folder, `${file}.ts`);
    if (!existsSync(path)) {
      await writeModule(path, renderHandler(operationId, identifier, summary));
      written.push(path);
    }
    imports.push(`import { ${identifier} } from './${file}.ts';`);
    members.push(operationId === identifier ? identifier : `${toKey(operationId)}: ${identifier}`);
  }
  if (members.length === 0) return [];
  await writeModule(handlersPath, addMembers(source, list, imports, members));
  return [...written, handlersPath];
}

function renderHandler(operationId: string, identifier: string, summary = ''): string {
  const comment = summary.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  const id = quoteString(operationId);
  const doc = comment === '' ? '' : `/** ${comment.slice(0, 110)} */\n`;
  const [parameter, result] = [`_request: Request<${id}>`, `Promise<Reply<${id}>>`];
  const line = `export function ${identifier}(${parameter}): ${result} {`;
  const signature = line.length <= 120 ? line : `export function ${identifier}(\n  ${parameter},\n): ${result} {`;
  return `${NOT_IMPLEMENTED}
import type { Reply, Request } from './contract.ts';

${doc}${signature}
  return Promise.reject(new NotImplemented(${id}));
}
`;
}

/**
 * Adds members to the object literal of a constant in a module.
 *
 * @param empty the text of a new module
 * @param imported an import that the members need
 */
async function addMissing(
  path: string,
  constant: string,
  empty: string,
  members: readonly { readonly name: string; readonly value: string }[],
  imported?: string,
): Promise<readonly string[]> {
  const present = readIfPresent(path);
  const source = present ?? empty;
  const list = findObject(source, constant);
  if (list === undefined) return [];
  const missing = members.filter(({ name }) => !list.names.includes(name));
  if (missing.length === 0 && present !== undefined) return [];
  const texts = missing.map(({ name, value }) => `${toKey(name)}: ${value}`);
  const imports = imported === undefined || source.includes(imported) ? [] : [imported];
  await writeModule(path, addMembers(source, list, imports, texts));
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

/** Adds members to the end of an object literal, and imports after the last import. */
function addMembers(
  source: string,
  { object }: ObjectInSource,
  imports: readonly string[],
  members: readonly string[],
): string {
  const importsAt = Math.max(
    0,
    ...[...source.matchAll(/^import [^;]*;\n/gm)].map((match) => match.index + match[0].length),
  );
  const last = object.properties.at(-1);
  const end = object.end - 1; // Before the closing brace.
  const lastEnd = last?.end ?? end;
  const before = source.slice(importsAt, lastEnd).trimEnd();
  const rest = source.slice(lastEnd, end);
  const hasComma = rest.replaceAll(/\/\/.*|\/\*[^]*?\*\//g, '').includes(',');
  const line = source.slice(source.lastIndexOf('\n', object.start) + 1);
  const margin = /^ */.exec(line)?.[0] ?? '';
  const lines = indent(members.map((member) => `${member},\n`).join('')).replaceAll(/^(?=.)/gm, margin);
  const kept = `${before}${last === undefined || hasComma ? '' : ','}${rest.trimEnd()}`;
  return `${source.slice(0, importsAt)}${imports.map((line) => `${line}\n`).join('')}${kept}\n${lines}${margin}${source.slice(end)}`;
}

function toIdentifier(operationId: string): string {
  if (isIdentifier(operationId)) return operationId;
  const [first = 'operation', ...others] = operationId.match(/[A-Za-z0-9]+/g) ?? [];
  const name = first.charAt(0).toLowerCase() + first.slice(1) + others.map(capitalize).join('');
  return isIdentifier(name) ? name : `operation${capitalize(name)}`;
}

function toFileName(operationId: string): string {
  const words = operationId.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').match(/[A-Za-z0-9]+/g) ?? ['operation'];
  return words.join('-').toLowerCase().slice(0, 100);
}

/** Returns a name as the key of a member. */
function toKey(name: string): string {
  return isIdentifier(name) ? name : quoteString(name);
}
