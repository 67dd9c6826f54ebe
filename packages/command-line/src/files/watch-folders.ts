import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Watches folders for changes of their direct entries. Files cannot be watched reliably, since editors may replace them
 * by renaming.
 *
 * @param onChange receives the path of a written, created or removed entry, or of the folder if the entry is unknown
 * @returns a function that replaces the watched folders, initially none, without missing a change
 */
export function watchFolders(onChange: (path: string) => void): (folders: Iterable<string>) => void {
  let watchers: readonly FSWatcher[] = [];
  return (folders) => {
    const before = watchers;
    // Watched folders also get a new watcher, since they may have been replaced.
    watchers = [...new Set(folders)].map((folder) =>
      watch(folder, (_event, name) => {
        onChange(name === null ? folder : join(folder, name));
      }).on('error', () => undefined /* The folder was removed; the watcher of its parent reports it. */),
    );
    for (const watcher of before) watcher.close();
  };
}

/** Returns the nearest existing ancestor folder of a path. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : folderOf(folder);
}
