import { closeSync, fsyncSync, openSync, readSync, realpathSync, writeSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DatabaseUnavailable } from '../database.ts';
import { primaryCode, SQLITE, unavailable } from './errors.ts';
import { connectForWriting, connectToKeepLog, READ } from './open-file.ts';

// On Linux, a failed fsync marks the pages as clean: the next fsync succeeds, but the pages never reach the disk. So
// after a failure, and for a log that another process has left, everything is written again before a commit is
// confirmed. The log's format: https://sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const CHUNK_BYTES = 1_048_576;

/** The number of frames in the log, and the number of frames already moved into the database. */
type LogState = { readonly log: number; readonly checkpointed: number };

/**
 * The write-ahead log of a database that is open for writing. All checkpoints use this class. They hold the write lock,
 * so that a failed sync cannot affect pages of another process, and no process restarts the log before it is written
 * again.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #database: DatabaseSync;
  /** A second connection, since a connection cannot run a checkpoint in its own transaction. */
  readonly #checkpointer: DatabaseSync;
  readonly #state: StatementSync;
  #databaseFile: number | undefined;
  /** Open while part of the log may not be on disk: a checkpoint of an incomplete log would damage the database. */
  #keeper: DatabaseSync | undefined;
  /** Identifies the part of the log that an incomplete checkpoint has moved into the database and synced. */
  #synced = '';

  /** @param database the writing connection; `close` also closes it */
  constructor(path: string, database: DatabaseSync, busyTimeoutMs: number) {
    this.#path = path;
    this.#database = database;
    this.#checkpointer = connectForWriting(path, busyTimeoutMs);
    this.#keeper = connectToKeepLog(path);
    this.#state = this.#checkpointer.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /**
   * Rewrites and syncs the log. Also rewrites and syncs the database pages that an incomplete checkpoint has written
   * but not synced.
   *
   * @throws {DatabaseUnavailable} when a write or a sync fails
   */
  rewrite(): void {
    this.#keeper ??= connectToKeepLog(this.#path);
    this.#withLock(() => {
      let state = this.#readState();
      let rewritten: LogState;
      do {
        if (state.log > 0) this.#rewriteFiles(state);
        rewritten = state;
        state = this.#readState();
      } while (rewritten.checkpointed < state.checkpointed); // Another program has run a checkpoint meanwhile.
    });
    this.#keeper?.close();
    this.#keeper = undefined;
  }

  /**
   * Moves the log into the database, except for frames that readers need. Does nothing while another process is
   * writing.
   *
   * @throws {DatabaseUnavailable} when the checkpoint fails; `rewrite` must succeed before the next commit
   */
  checkpoint(): void {
    try {
      this.#withLock(() => {
        this.#rewriteMovedByOthers();
        this.#checkpointer.exec('PRAGMA wal_checkpoint(PASSIVE)');
        this.#syncMoved();
      });
    } catch (error) {
      if (primaryCode(error) === SQLITE.BUSY) return;
      this.#keeper ??= connectToKeepLog(this.#path);
      throw unavailable(this.#path, error);
    }
  }

  /** Closes the connections. SQLite then moves the log into the database, unless part of the log may not be on disk. */
  close(): void {
    try {
      if (this.#keeper === undefined) {
        this.#withLock(() => {
          this.#rewriteMovedByOthers();
        });
      }
    } catch {
      this.#keeper = connectToKeepLog(this.#path);
    }
    this.#checkpointer.close();
    this.#database.close();
    this.#keeper?.close();
  }

  /**
   * Runs work with the write lock. After a failure, keeps a read transaction open, which prevents a restart of the log.
   */
  #withLock(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      if (this.#checkpointer.isTransaction) this.#checkpointer.exec('COMMIT');
      work();
    } catch (error) {
      if (!this.#checkpointer.isTransaction) this.#checkpointer.exec(`BEGIN; ${READ}`);
      throw error;
    } finally {
      this.#database.exec('ROLLBACK');
    }
  }

  /**
   * Rewrites the pages that an incomplete checkpoint of another process has written, since their sync may have failed
   * before that process was killed.
   */
  #rewriteMovedByOthers(): void {
    const state = this.#readState();
    if (isIncomplete(state) && this.#identify(state) !== this.#synced) this.#rewriteFiles(state);
  }

  /** Syncs the pages that an incomplete checkpoint has written. SQLite would sync them only in the next checkpoint. */
  #syncMoved(): void {
    const state = this.#readState();
    if (!isIncomplete(state)) return;
    fsyncSync(this.#openDatabaseFile());
    this.#synced = this.#identify(state);
  }

  #identify({ checkpointed }: LogState): string {
    const log = openSync(`${realpathSync(this.#path)}-wal`, 'r');
    try {
      // The salts in the header change with each restart of the log.
      return `${read(log, 0, HEADER_BYTES).toString('hex', 16, 24)} ${String(checkpointed)}`;
    } finally {
      closeSync(log);
    }
  }

  #openDatabaseFile(): number {
    // Stays open, since closing the file would release SQLite's locks on it in this process.
    return (this.#databaseFile ??= openSync(this.#path, 'r+'));
  }

  #readState(): LogState {
    return this.#state.get() as LogState; // Documented by SQLite.
  }

  #rewriteFiles({ log: frameCount, checkpointed }: LogState): void {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(`${realpathSync(this.#path)}-wal`, 'r+');
      const isPartial = checkpointed < frameCount;
      const log = rewriteFrames(descriptor, frameCount, isPartial ? checkpointed : 0);
      if (log === undefined)
        throw new DatabaseUnavailable(`the log of the database ${this.#path} is damaged; restart the service`);
      fsyncSync(descriptor);
      if (log.positions.size > 0) this.#rewritePages(descriptor, log);
      this.#synced = this.#identify({ log: frameCount, checkpointed });
    } catch (error) {
      throw unavailable(this.#path, error);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  #rewritePages(log: number, { positions, pageBytes, pageCount }: RewrittenLog): void {
    const file = this.#openDatabaseFile();
    for (const [page, position] of positions) {
      if (page <= pageCount) write(file, read(log, position, pageBytes), (page - 1) * pageBytes);
    }
    fsyncSync(file);
  }
}

function isIncomplete({ log, checkpointed }: LogState): boolean {
  return checkpointed > 0 && checkpointed < log;
}

type RewrittenLog = {
  readonly pageBytes: number;
  /** The size of the database, in pages. */
  readonly pageCount: number;
  /** The positions in the log of the newest content of each page that was moved into the database. */
  readonly positions: ReadonlyMap<number, number>;
};

/**
 * Rewrites the frames of a log in place. Returns `undefined` when the checksum of a frame is wrong.
 *
 * @param movedCount the number of frames already moved into the database
 */
function rewriteFrames(log: number, frameCount: number, movedCount: number): RewrittenLog | undefined {
  const header = read(log, 0, HEADER_BYTES);
  const checksum = new Checksum(header);
  if (!checksum.add(header.subarray(0, 24)).isAt(header, 24)) return undefined;
  write(log, header, 0);
  const pageBytes = header.readUInt32BE(8);
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const chunkFrames = Math.ceil(CHUNK_BYTES / frameBytes);
  const positions = new Map<number, number>();
  let pageCount = 0;
  for (let first = 0; first < frameCount; first += chunkFrames) {
    const start = HEADER_BYTES + first * frameBytes;
    const chunk = read(log, start, Math.min(chunkFrames, frameCount - first) * frameBytes);
    for (let offset = 0; offset < chunk.length; offset += frameBytes) {
      const frame = chunk.subarray(offset, offset + frameBytes);
      const hasSalts = frame.compare(header, 16, 24, 8, 16) === 0;
      checksum.add(frame.subarray(0, 8)).add(frame.subarray(FRAME_HEADER_BYTES));
      if (!hasSalts || !checksum.isAt(frame, 16)) return undefined;
      const isMoved = first + offset / frameBytes < movedCount;
      if (isMoved) positions.set(frame.readUInt32BE(0), start + offset + FRAME_HEADER_BYTES);
      pageCount = frame.readUInt32BE(4);
    }
    write(log, chunk, start);
  }
  return { pageBytes, pageCount, positions };
}

/** The cumulative checksum of a log. */
class Checksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(header: Buffer) {
    this.#isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  }

  add(bytes: Buffer): this {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let [first, second] = [this.#first, this.#second];
    for (let offset = 0; offset < bytes.length; offset += 8) {
      first = (first + view.getUint32(offset, !this.#isBigEndian) + second) >>> 0;
      second = (second + view.getUint32(offset + 4, !this.#isBigEndian) + first) >>> 0;
    }
    this.#first = first;
    this.#second = second;
    return this;
  }

  isAt(bytes: Buffer, offset: number): boolean {
    return bytes.readUInt32BE(offset) === this.#first && bytes.readUInt32BE(offset + 4) === this.#second;
  }
}

/** Reads bytes at a position. Bytes beyond the end of the file are zeros. */
function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes;
}

function write(file: number, bytes: Buffer, position: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
