import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem } from '../../scripts/contract/load.ts';
import { renderContract } from '../../scripts/contract/render.ts';
import type { Contract } from '../../src/engine/contract/contract.ts';
import { temporaryFolder } from './app.ts';

/** Returns the contract that the generator writes for a document. */
export async function contractOf(text: string): Promise<Contract> {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, text);
  const { files, problems } = await renderContract(path);
  if (files === undefined) throw new Error(problems.map(formatProblem).join('\n'));
  return JSON.parse(files['contract.json'] ?? '') as Contract;
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
