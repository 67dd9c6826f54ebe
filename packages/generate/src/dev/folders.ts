import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Watches folders for changes of the entries directly inside them. Files cannot be watched reliably: editors that save by
 * renaming replace them.
 *
 * @param onChange receives the path of a written, created or removed entry, or of the folder when the entry is unknown
 * @returns a function that replaces the watched folders, at first none, without missing a change
 */
export function watchFolders(onChange: (path: string) => void): (folders: Iterable<string>) => void {
  let watchers: readonly FSWatcher[] = [];
  return (folders) => {
    const before = watchers;
    // Watched folders get a new watcher too, because they may have been replaced.
    watchers = [...new Set(folders)].map((folder) =>
      watch(folder, (_event, name) => {
        onChange(name === null ? folder : join(folder, name));
      }).on('error', () => undefined /* The folder was removed, which its parent reports. */),
    );
    for (const watcher of before) watcher.close();
  };
}

/** Returns a folder and all folders below it. */
export function foldersBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}

/** Returns the nearest existing folder above a path. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : folderOf(folder);
}
