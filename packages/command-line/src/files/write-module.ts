import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type * as Prettier from 'prettier';
import { escapeControls } from '@contract-first/contract';
import { readIfPresent } from './read-if-present.ts';

/** Writes a module. Formats it if the project has Prettier. Keeps the line ends CRLF of an existing file. */
export async function writeModule(path: string, text: string): Promise<void> {
  const hasCrlf = readIfPresent(path)?.includes('\r\n') === true;
  const safe = escapeControls(text.replaceAll('\r\n', '\n'));
  const prettier = findPrettier(path);
  const options = { ...(await prettier?.resolveConfig(path, { editorconfig: true })), parser: 'typescript' };
  const formatted = (await prettier?.format(safe, options)) ?? safe;
  await writeFile(path, hasCrlf ? formatted.replaceAll(/\r?\n/g, '\r\n') : formatted);
}

/** Returns the project's Prettier, if installed. */
function findPrettier(path: string): typeof Prettier | undefined {
  try {
    return createRequire(resolve(path))('prettier') as typeof Prettier; // The module has this type.
  } catch {
    return undefined;
  }
}
