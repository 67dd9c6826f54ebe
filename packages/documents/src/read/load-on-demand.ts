import type { FileAccess, ReadFileText } from './files.ts';
import type { LoadedContract } from './load.ts';

/**
 * Reads an OpenAPI document, checks it with the Redocly linter and bundles it. Loads the linter on demand, since it takes
 * longer to load than all other modules.
 *
 * @param path a path, or a URL that `read` can read
 * @param rules `validity` for errors only; `style` also for the quality of a published document; `structure` for errors
 *   outside schemas, which OpenAPI 3.1 leaves to their dialect
 * @param read reads the document and referenced files from a source other than the file system
 * @param access the files that the document may refer to
 */
export async function loadContract(
  path: string,
  rules: 'structure' | 'validity' | 'style',
  read?: ReadFileText,
  access?: FileAccess,
): Promise<LoadedContract> {
  const { lintAndBundle } = await import('./load.ts');
  return lintAndBundle(path, rules, read, access);
}
