import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderContract } from '@contract-first/generate';
import { temporaryFolder } from './cleanup.ts';
import { linesOf } from './contract.ts';

/** Returns the generator's errors for a rejected document. */
export async function problemsOf(text: string): Promise<string> {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, text);
  const { files, diagnostics } = await renderContract(path);
  if (files !== undefined) throw new Error('the document is not refused');
  return linesOf(diagnostics, path);
}
