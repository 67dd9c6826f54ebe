/**
 * Reads and writes files and URLs.
 *
 * @module @contract-first/command-line/files
 */

export { fetchLocal, fetchSecurely, isUrl } from './local-url.ts';
export { listFiles } from './list-files.ts';
export { loadYaml } from './load-yaml.ts';
export { readIfPresent } from './read-if-present.ts';
export { withExcerpt } from './source-excerpt.ts';
export { writeModule } from './write-module.ts';
export { folderOf, watchFolders } from './watch-folders.ts';
