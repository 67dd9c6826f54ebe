import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type * as Prettier from 'prettier';
import { escapeControls } from '@contract-first/contract';

/** Writes a module. Formats it if the project has Prettier. */
export async function writeModule(path: string, text: string): Promise<void> {
  const safe = escapeControls(text);
  const prettier = findPrettier(path);
  const options = { ...(await prettier?.resolveConfig(path, { editorconfig: true })), parser: 'typescript' };
  await writeFile(path, (await prettier?.format(safe, options)) ?? safe);
}

/** Returns the project's Prettier, if installed. */
function findPrettier(path: string): typeof Prettier | undefined {
  try {
    return createRequire(resolve(path))('prettier') as typeof Prettier; // The module has this type.
  } catch {
    return undefined;
  }
}
