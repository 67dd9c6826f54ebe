import type { DatabaseSync } from 'node:sqlite';
import { BatchFailed, type BatchWorker } from '../batch-queue.ts';
import { type ChangeResult, type CommittedChange, isInsert, isTransaction, sizeOfChange } from '../commits.ts';
import type { StatementResult } from '../database.ts';
import { runTransactionWork, type TransactionWork } from '../transaction.ts';
import { type Commit, createCommitter, type PlainChange, rememberFiles, type TransactionStep } from './committer.ts';
import { DiskSpeed } from './disk-speed.ts';
import { failureOf, primaryCode, SQLITE } from './errors.ts';
import { connectForWriting } from './open-file.ts';
import { type SqliteWorker, startWorker, toBatchError } from './batch-thread.ts';
import type { LogTask, WriterData } from './writer-thread.ts';

// Larger batches take more than a millisecond even without the sync.
const LOCAL_BYTES = 1_048_576;

/** A connection on the calling thread. */
type Local = {
  readonly database: DatabaseSync;
  readonly commit: (changes: readonly PlainChange[]) => Commit;
};

/**
 * Writes to a SQLite database on its own thread; while the disk is fast, on the calling thread, since a message to a
 * thread and back takes longer than a fast commit. Only the thread waits for locks, runs checkpoints, and runs
 * statements whose duration is unknown.
 */
export class SqliteWriter implements BatchWorker<CommittedChange, ChangeResult> {
  readonly #data: WriterData;
  readonly #thread: SqliteWorker<PlainChange | TransactionStep | LogTask, Commit>;
  readonly #checkFiles: () => void;
  readonly #disk = new DiskSpeed();
  #local: Local | undefined;
  #needsCheckpoint = false;
  /** Whether the whole log is on disk. Initially `false`, since another process may have left the log. */
  #isLogDurable = false;

  /** @throws {DatabaseUnavailable} when the database cannot be opened */
  static async open(data: WriterData): Promise<SqliteWriter> {
    return new SqliteWriter(data, await startWorker('./writer-thread', data));
  }

  private constructor(data: WriterData, thread: SqliteWorker<PlainChange | TransactionStep | LogTask, Commit>) {
    this.#data = data;
    this.#thread = thread;
    this.#checkFiles = rememberFiles(data.path);
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  async run(changes: readonly CommittedChange[]): Promise<readonly ChangeResult[]> {
    if (this.#needsCheckpoint) await this.#checkpoint();
    try {
      if (!this.#isLogDurable) await this.#rewriteLog();
      const [first] = changes;
      if (isTransaction(first)) return [await this.#transact(first.work)];
      const plain = changes as readonly PlainChange[]; // A transaction always has its own batch.
      return this.#record(this.#commitHere(plain) ?? (await this.#thread.run(plain)), changes.length);
    } catch (error) {
      if (isDatabaseFailure(error)) this.#isLogDurable = false;
      throw error;
    }
  }

  async close(): Promise<void> {
    if (!this.#isLogDurable) await this.#rewriteLog().catch(() => undefined); // The thread then keeps the log.
    this.#local?.database.close();
    await this.#thread.close();
  }

  async #checkpoint(): Promise<void> {
    this.#needsCheckpoint = false;
    try {
      await this.#thread.run([{ log: 'checkpoint' }]);
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error;
      this.#isLogDurable = false;
    }
  }

  async #rewriteLog(): Promise<void> {
    await this.#thread.run([{ log: 'rewrite' }]);
    this.#isLogDurable = true;
  }

  #record({ results, syncMs, isLogLong }: Commit, changeCount: number): Commit['results'] {
    this.#disk.record(syncMs, changeCount);
    this.#needsCheckpoint = isLogLong;
    return results;
  }

  /** Runs the work of a transaction on the thread, while other changes wait. */
  async #transact(work: TransactionWork): Promise<{ readonly value: unknown }> {
    const runStep = (step: TransactionStep['step']): Promise<Commit> => this.#thread.run([{ step }]);
    await runStep('begin');
    try {
      const value = await runTransactionWork(work, {
        run: (statement) => runStep(statement).then(resultOf, reject),
        isDatabaseFailure: (error) => error instanceof BatchFailed,
        limitMs: this.#data.transactionLimitMs,
      });
      this.#record(await runStep('commit'), 1);
      return { value };
    } catch (error) {
      await runStep('rollback'); // A commit that fails may leave the transaction open.
      throw error;
    }
  }

  /** Commits on the calling thread. Returns `undefined` if the thread must commit. */
  #commitHere(changes: readonly PlainChange[]): Commit | undefined {
    if (!this.#disk.isFast() || !isQuick(changes)) return undefined;
    const local = this.#connect();
    if (local === undefined) return undefined;
    try {
      return local.commit(changes);
    } catch (error) {
      if (primaryCode(error) === SQLITE.BUSY) return undefined;
      throw toBatchError(failureOf(this.#data.path, error));
    }
  }

  /** Connects the calling thread. Returns `undefined` on failure. */
  #connect(): Local | undefined {
    try {
      return (this.#local ??= this.#open());
    } catch {
      this.#disk.pause();
      return undefined;
    }
  }

  #open(): Local {
    const { path, insert, transactionLimitMs } = this.#data;
    const database = connectForWriting(path);
    return { database, commit: createCommitter(database, insert, this.#checkFiles, transactionLimitMs) };
  }
}

/** Returns the result of a step that is a statement. */
function resultOf({ results }: Commit): StatementResult {
  const [list] = results as readonly (readonly StatementResult[])[]; // A step's result is a list.
  return list?.[0] ?? { rows: [], count: 0 };
}

/** Whether an error is a database failure, such as a failed sync or write, not an invalid change. */
function isDatabaseFailure(error: unknown): boolean {
  return error instanceof BatchFailed && error.recovery === 'wait';
}

/** Throws the statement's own error if the statement is invalid, else the database failure. */
function reject(error: unknown): never {
  throw error instanceof BatchFailed && error.recovery === 'split' ? error.cause : error;
}

/** Whether changes take little time compared with the sync. */
function isQuick(changes: readonly PlainChange[]): boolean {
  let bytes = 0;
  return changes.every(
    (change) => (change === 'check' || isInsert(change)) && (bytes += sizeOfChange(change)) <= LOCAL_BYTES,
  );
}
