import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';

/** Reports changes of files and folders directly inside the watched folders. */
export type FolderWatch = {
  /** Replaces the watched folders without missing a change. */
  readonly set: (folders: Iterable<string>) => void;
  readonly close: () => void;
};

/**
 * Creates a watcher without folders. Files cannot be watched reliably: editors that save by renaming replace them.
 *
 * @param onChange receives the path of a written, created or removed entry, or of the folder when the entry is unknown
 */
export function watchFolders(onChange: (path: string) => void): FolderWatch {
  let watchers: readonly FSWatcher[] = [];
  const set = (folders: Iterable<string>): void => {
    const before = watchers;
    // Watched folders get a new watcher too, because they may have been replaced.
    watchers = [...new Set(folders)].map((folder) =>
      watch(folder, (_event, name) => {
        onChange(name === null ? folder : join(folder, name));
      }).on('error', () => undefined /* The folder was removed, which its parent reports. */),
    );
    for (const watcher of before) watcher.close();
  };
  return {
    set,
    close() {
      set([]);
    },
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
