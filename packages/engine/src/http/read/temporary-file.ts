import { randomInt, randomUUID } from 'node:crypto';
import { constants, openAsBlob } from 'node:fs';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';

/** The temporary folder cannot be written to, or is full. */
export class TemporaryFolderUnavailable extends Error {}

/** A file in the temporary folder that only this process can read. */
export type TemporaryFile = {
  /** Appends bytes. @throws {TemporaryFolderUnavailable} */
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Returns a Blob that reads the file on demand. @throws {TemporaryFolderUnavailable} */
  readonly toBlob: () => Promise<Blob>;
  /** Removes the file. Its Blobs can no longer be read. */
  readonly remove: () => Promise<void>;
};

type OpenFile = {
  readonly file: FileHandle;
  /** `undefined` for an unnamed file, which disappears with the process. */
  readonly name: string | undefined;
};

const isLinux = platform() === 'linux';
// O_TMPFILE of open(2), which Node does not define.
const NAMELESS = 0o20000000 | constants.O_DIRECTORY | constants.O_EXCL | constants.O_RDWR;
/** The errors of file systems and kernels without O_TMPFILE. */
const UNSUPPORTED = ['EOPNOTSUPP', 'ENOTSUP', 'EISDIR', 'EINVAL'];
const NAME = /^upload-(\d+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Creates a temporary file. On Linux the file has no name, so it disappears with the process, even after a kill -9.
 *
 * @throws {TemporaryFolderUnavailable} when the file cannot be created
 */
export async function createTemporaryFile(): Promise<TemporaryFile> {
  const { file, name } = await explain(openFile());
  return {
    append: (bytes) => explain(file.appendFile(bytes)),
    async toBlob() {
      // Node's Blob can be read only while the file's size and modification time are unchanged. A random time prevents
      // a Blob that is kept too long from reading the file of a later upload, which may have the same descriptor.
      await explain(file.utimes(0, (randomInt(1_000_000_000) + 0.5) / 1_000_000_000));
      return explain(openAsBlob(name ?? `/proc/self/fd/${String(file.fd)}`));
    },
    async remove() {
      // A cancelled stream keeps the file open until the next garbage collection.
      try {
        await file.truncate();
      } finally {
        await file.close();
      }
      if (name !== undefined) await rm(name, { force: true });
    },
  };
}

async function openFile(): Promise<OpenFile> {
  try {
    if (isLinux) return { file: await open(tmpdir(), NAMELESS, 0o600), name: undefined };
  } catch (error) {
    if (!UNSUPPORTED.includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
  const name = join(tmpdir(), `upload-${String(pid)}-${randomUUID()}`);
  const file = await open(name, 'wx+', 0o600);
  if (isLinux) await rm(name, { force: true }); // Another starting process may have removed the file already.
  return { file, name: isLinux ? undefined : name };
}

/** Removes the files of killed processes, but no file in use. Never rejects. */
export async function removeLeftFiles(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, owner] = NAME.exec(name) ?? [];
    // On Linux, a process unlinks its file right after creating it and does not need the name.
    if (owner === undefined || (!isLinux && isRunning(Number(owner)))) continue;
    await rm(join(tmpdir(), name), { force: true }).catch(() => undefined); // The file may belong to another user.
  }
}

function isRunning(id: number): boolean {
  try {
    return kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Converts file system errors to one line for the log. */
async function explain<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    const reason = (error as Error).message; // node:fs rejects only with errors.
    throw new TemporaryFolderUnavailable(`a request body cannot be stored in ${tmpdir()}: ${reason}`);
  }
}
