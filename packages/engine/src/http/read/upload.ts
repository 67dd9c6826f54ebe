import { ByteBuffer, type ReadLimits } from './bytes.ts';
import { createTemporaryFile, type TemporaryFile } from './temporary-file.ts';

/** Larger uploads are stored in a temporary file. */
const MEMORY_BYTES = 262_144;

/** The bytes of a request body: in memory at first, in a temporary file when they are many. */
export class Upload {
  readonly #memory: ByteBuffer;
  #file: TemporaryFile | undefined;
  #sizeBytes = 0;

  /** @param expectedBytes the size of the body, if it is known */
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
   * Adds bytes to its end.
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
   * Returns the bytes. Those in a file take no memory until they are read.
   *
   * @throws {TemporaryFolderUnavailable} when they cannot be stored
   */
  async toBlob(): Promise<Blob> {
    if (this.#file === undefined) return new Blob([this.#memory.bytes]);
    await this.#flush();
    this.#memory.free();
    return this.#file.toBlob();
  }

  /** Removes the file, if there is one; its Blob can no longer be read. Never rejects. */
  async remove(): Promise<void> {
    await this.#file?.remove().catch(() => undefined); // Linux removes it with the process.
  }

  async #flush(): Promise<void> {
    this.#file ??= await createTemporaryFile();
    await this.#file.append(this.#memory.bytes);
    this.#memory.clear();
  }
}
