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

/** Returns the contract of a document after JSON serialization, as in a service. */
export async function contractOf(text: string, declared?: Partial<Declared>): Promise<Contract> {
  return (await compiledOf(text, declared)).contract;
}

/** Compiles a document. Serializes its contract as JSON and parses it, as in a service. */
export async function compiledOf(text: string, declared?: Partial<Declared>): Promise<CompiledDocument> {
  const { compiled } = await compile(text, declared);
  return { ...compiled, contract: JSON.parse(JSON.stringify(compiled.contract)) as Contract };
}

/** Returns the generator's warnings for a document. */
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
  // Places in a document have a relative path; problems of the file itself have the given path.
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
