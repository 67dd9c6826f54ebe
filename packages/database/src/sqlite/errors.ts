import type { BatchFailed } from '../batch-queue.ts';
import { ConstraintViolated, DatabaseUnavailable } from '../database.ts';

/** A statement or a row of the application is invalid; the database works. */
export class StatementRejected extends Error {}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
export const SQLITE = {
  ERROR: 1,
  PERM: 3,
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  NOTADB: 26,
} as const;

/** Reasons for operators, by result code. */
const REASONS: Readonly<Record<number, string>> = {
  [SQLITE.PERM]: 'cannot be read and written by this user',
  [SQLITE.BUSY]: 'is locked by another process',
  [SQLITE.READONLY]: 'is read-only',
  [SQLITE.IOERR]: 'cannot be read or written',
  [SQLITE.CORRUPT]: 'is damaged; restore a backup',
  [SQLITE.FULL]: 'is on a disk that is full',
  [SQLITE.CANTOPEN]: 'cannot be opened: is it a file, in a folder that can be written?',
  [SQLITE.NOTADB]: 'is not a SQLite database',
};

/** Returns SQLite's primary result code, the low byte of the extended code; 0 for other errors. */
export function primaryCode(error: unknown): number {
  const { errcode = 0 } = error as { readonly errcode?: number };
  return errcode & 0xff;
}

/** Wraps any error of a database in an error with one line for operators. */
export function unavailable(path: string, error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  const reason = REASONS[codeOf(error)] ?? `cannot be used (${(error as Error).message})`;
  return new DatabaseUnavailable(`the database ${path} ${reason}`, { cause: error });
}

/** Returns SQLite's result code for an error of SQLite or of a system call. */
function codeOf(error: unknown): number {
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return primaryCode(error);
  if (code === 'ENOSPC') return SQLITE.FULL;
  return ['read', 'write', 'fsync'].includes(syscall) ? SQLITE.IOERR : SQLITE.CANTOPEN; // For example, mkdir failed.
}

/** Returns the error for a damaged database. */
export function damageError(path: string): DatabaseUnavailable {
  return unavailable(path, { errcode: SQLITE.CORRUPT });
}

/** The failure of a batch, as a message between threads. */
export type BatchFailure = {
  /** `undefined` for a bug. */
  readonly recovery: BatchFailed['recovery'] | undefined;
  readonly message: string;
  /** The violated constraint, if any. */
  readonly violated?: Pick<ConstraintViolated, 'kind' | 'constraint'>;
};

/** Converts the error of a batch to a message. */
export function failureOf(path: string, error: unknown): BatchFailure {
  if (error instanceof ConstraintViolated) {
    const { message, kind, constraint } = error;
    return { recovery: 'split', message, violated: { kind, constraint } };
  }
  const recovery = recoveryFor(error);
  const { message } = recovery === 'split' ? (error as Error) : unavailable(path, error); // SQLite throws only errors.
  return { recovery, message };
}

/** Returns the way to recover from a failed batch; `undefined` for a bug. */
function recoveryFor(error: unknown): BatchFailed['recovery'] | undefined {
  if (error instanceof StatementRejected) return 'split';
  if (error instanceof DatabaseUnavailable) return 'wait';
  const code = primaryCode(error);
  if (code === 0) return undefined;
  if (code === SQLITE.BUSY) return 'retry'; // The transaction was rolled back.
  const isRejectedRow = code === SQLITE.CONSTRAINT || code === SQLITE.TOOBIG || code === SQLITE.MISMATCH;
  return isRejectedRow ? 'split' : 'wait';
}
