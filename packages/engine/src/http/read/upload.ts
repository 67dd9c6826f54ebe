import { ByteBuffer, type ReadLimits } from './bytes.ts';
import { createTemporaryFile, type TemporaryFile } from './temporary-file.ts';

/** Larger uploads are stored in a temporary file. */
const MEMORY_BYTES = 262_144;

/** The bytes of a request body: in memory when small, otherwise in a temporary file. */
export class Upload {
  readonly #memory: ByteBuffer;
  #file: TemporaryFile | undefined;
  #sizeBytes = 0;

  /** @param expectedBytes the size of the body, if known */
  constructor(memory: Pick<ReadLimits, 'reserve'>, expectedBytes?: number) {
    const reserve = (bytes: number): void => {
      memory.reserve(bytes);
    };
    this.#memory = new ByteBuffer({ limitBytes: MEMORY_BYTES, reserve }, expectedBytes);
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Appends bytes.
   *
   * @throws {TemporaryFolderUnavailable} when they cannot be stored
   * @throws the error of `reserve`
   */
  async append(bytes: Buffer): Promise<void> {
    let rest = this.#memory.append(bytes);
    while (rest.length > 0) {
      await this.#flush();
      rest = this.#memory.append(rest);
    }
    this.#sizeBytes += bytes.length;
  }

  /**
   * Returns the bytes as a Blob. A Blob of the file is read on demand, so it takes no memory.
   *
   * @throws {TemporaryFolderUnavailable} when they cannot be stored
   */
  async toBlob(): Promise<Blob> {
    if (this.#file === undefined) return new Blob([this.#memory.bytes]);
    await this.#flush();
    this.#memory.free();
    return this.#file.toBlob();
  }

  /** Removes the file, if there is one. Its Blob can no longer be read. Never rejects. */
  async remove(): Promise<void> {
    await this.#file?.remove().catch(() => undefined); // Otherwise, Linux removes it with the process.
  }

  async #flush(): Promise<void> {
    this.#file ??= await createTemporaryFile();
    await this.#file.append(this.#memory.bytes);
    this.#memory.clear();
  }
}
