import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';

/** Tells of changes to what is directly inside some folders. */
export type FolderWatch = {
  /** From now on, these folders and no others. Nothing is missed in between. */
  readonly set: (folders: Iterable<string>) => void;
  readonly close: () => void;
};

/**
 * Watches folders. Not files: an editor that saves by renaming puts another file in the place of the one it watched.
 *
 * @param onChange gets the path of what was written, made or removed; the folder where the system does not tell
 */
export function watchFolders(onChange: (path: string) => void): FolderWatch {
  let watchers: readonly FSWatcher[] = [];
  const set = (folders: Iterable<string>): void => {
    const before = watchers;
    // Anew each time, also where it was watched already: the folder may have been replaced by another.
    watchers = [...new Set(folders)].map((folder) =>
      watch(folder, (_event, name) => {
        onChange(name === null ? folder : join(folder, name));
      }).on('error', () => undefined /* The folder is gone: that was a change of the one around it. */),
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

/** A folder with all those below it. */
export function foldersBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}

/** The folder in which a file is, or would be; as long as that does not exist, the one in which it will be made. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : folderOf(folder);
}
