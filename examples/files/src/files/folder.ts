import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Stores files in a folder, each with a UUID as its name. */
export function createFolder(path: string) {
  return {
    /** Stores the bytes. When the promise resolves, they are on disk. The folder never contains a partial file. */
    async add(bytes: Blob) {
      const id = randomUUID();
      const file = join(path, id);
      const partial = `${file}.part`;
      const hash = createHash('sha256');
      try {
        await using handle = await open(partial, 'w');
        // The type of the chunks is `any` in Node's types.
        for await (const chunk of bytes.stream() as AsyncIterable<Uint8Array>) {
          hash.update(chunk);
          await handle.writeFile(chunk);
        }
        await handle.sync();
        await rename(partial, file);
        await syncFolder(path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
      return { id, size: bytes.size, sha256: hash.digest('hex') };
    },

    /** Returns a file, which is read while it is sent; `undefined` if it does not exist. */
    async find(id: string): Promise<Blob | undefined> {
      try {
        return await openAsBlob(join(path, id));
      } catch {
        return undefined;
      }
    },

    async remove(id: string): Promise<void> {
      await rm(join(path, id), { force: true });
      await syncFolder(path);
    },
  };
}

export type Folder = ReturnType<typeof createFolder>;

/** Creates a folder for files. */
export async function openFolder(path: string): Promise<Folder> {
  await mkdir(path, { recursive: true });
  return createFolder(path);
}

/** Writes the names in a folder to disk. */
async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path);
  await handle.sync();
}
