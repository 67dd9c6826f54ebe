import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatProblem } from '@contract-first/documents';
import { renderContract } from '../../cli/src/generate/render.ts';
import type { Contract } from '@contract-first/contract';
import { temporaryFolder } from './cleanup.ts';

/** Returns the contract that the generator writes for a document. */
export async function contractOf(text: string): Promise<Contract> {
  const { files, problems } = await render(text);
  if (files === undefined) throw new Error(problems);
  return JSON.parse(files['contract.json'] ?? '') as Contract;
}

/** Returns the lines with which the generator refuses a document. */
export async function problemsOf(text: string): Promise<string> {
  const { files, problems } = await render(text);
  if (files !== undefined) throw new Error('the document is not refused');
  return problems;
}

/** Returns the lines with which the generator accepts a document. */
export async function warningsOf(text: string): Promise<string> {
  const { files, problems } = await render(text);
  if (files === undefined) throw new Error(problems);
  return problems;
}

async function render(text: string) {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, text);
  const { files, problems } = await renderContract(path);
  // A place in a document has a relative path; a problem with the file itself has the given one.
  const lines = problems.map(formatProblem).join('\n');
  return {
    files,
    problems: lines.replaceAll(relative(process.cwd(), path), 'openapi.yaml').replaceAll(path, 'openapi.yaml'),
  };
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
