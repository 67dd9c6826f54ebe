import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  compileContract,
  formatDiagnostic,
  NOTHING_DECLARED,
  type CompiledDocument,
  type Declared,
  type PlacedDiagnostic,
} from '@contract-first/documents';
import type { Contract } from '@contract-first/contract';
import { temporaryFolder } from './cleanup.ts';

/** Returns the contract of a document, as the service reads it. */
export async function contractOf(text: string, declared?: Partial<Declared>): Promise<Contract> {
  return (await compiledOf(text, declared)).contract;
}

/** Returns a compiled document. Its contract is as the service reads it. */
export async function compiledOf(text: string, declared?: Partial<Declared>): Promise<CompiledDocument> {
  const { compiled } = await compile(text, declared);
  return { ...compiled, contract: JSON.parse(JSON.stringify(compiled.contract)) as Contract };
}

/** Returns the lines with which the generator accepts a document. */
export async function warningsOf(text: string, declared?: Partial<Declared>): Promise<string> {
  return (await compile(text, declared)).lines;
}

async function compile(
  text: string,
  declared: Partial<Declared> = {},
): Promise<{ readonly compiled: CompiledDocument; readonly lines: string }> {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, text);
  const { compiled, diagnostics } = await compileContract(path, undefined, { ...NOTHING_DECLARED, ...declared });
  const lines = linesOf(diagnostics, path);
  if (compiled === undefined) throw new Error(lines);
  return { compiled, lines };
}

/** Formats diagnostics with `openapi.yaml` as the path of the document. */
export function linesOf(diagnostics: readonly PlacedDiagnostic[], path: string): string {
  // A place in a document has a relative path; a problem with the file itself has the given one.
  const lines = diagnostics.map(formatDiagnostic).join('\n');
  return lines.replaceAll(relative(process.cwd(), path), 'openapi.yaml').replaceAll(path, 'openapi.yaml');
}

/** Returns a minimal document with one operation. */
export function documentOf(path: string, method: string, operation: string, rest = ''): string {
  return `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  ${path}:
    ${method}:
      operationId: op
${operation.replaceAll(/^/gm, '      ')}
${rest}`;
}
