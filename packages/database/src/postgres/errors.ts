import type { BatchFailed } from '../batch-queue.ts';
import { ConstraintViolated, DatabaseUnavailable, TextNotStorable } from '../database.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { DatabaseError, LoginTimeout, PasswordMissing, SessionLost, TlsFailed } from './session.ts';

/** The server is a standby, or has been set read-only. */
export class ReadOnly extends Error {}

/** A statement was carried out, and left no trace: a trigger, say, has returned nothing. */
export class Dropped extends Error {}

/** A statement was run in another session than the connection's. It has stored nothing. */
export class PoolerSwitched extends Error {
  constructor(cause?: Error) {
    const problem = 'a connection pooler in between switches sessions';
    super(`${problem}: connect to PostgreSQL directly, or set pool_mode = session`, { cause });
  }
}

/** The database is not for this application. The message continues "the database …". */
export class IncompatibleDatabase extends Error {}

/** Turns an error of a connected database into one line for operators; returns bugs unchanged. */
export function explain(location: PostgresLocation, error: unknown): unknown {
  const explained = explainValue(error);
  if (explained instanceof TextNotStorable) return explained;
  const isLost = error instanceof DatabaseError || error instanceof SessionLost;
  if (!isLost && !(error instanceof IncompatibleDatabase)) return error;
  const problem = isLost ? `cannot be used: ${reasonOf(error).text}` : error.message;
  return new DatabaseUnavailable(`the database ${describePostgres(location)} ${problem}`, { cause: error });
}

/** Returns the SQLSTATE of an error (PostgreSQL documentation, appendix A). */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export const NO_PERMISSION = '42501';
export const READ_ONLY_TRANSACTION = '25006';

type Recovery = BatchFailed['recovery'];

// The first that fits counts: the longer codes stand before their classes.
const RECOVERIES: readonly (readonly [sqlState: string, recovery: Recovery])[] = [
  ['53300', 'retry'], // no connection left
  ['55P03', 'retry'], // lock not available
  ['08', 'retry'], // the connection
  [READ_ONLY_TRANSACTION, 'retry'], // this server is not the primary any more
  ['25P02', 'retry'], // a transaction that was left open has failed
  ['25', 'split'], // a statement that must not, or must, be in a transaction
  ['2D', 'split'], // a COMMIT in a procedure
  ['40', 'retry'], // another transaction was in the way
  ['57', 'retry'], // operator intervention: shutdown, crash, timeout
  ['22', 'split'], // a value that the database does not take
  ['23', 'split'], // a constraint
  ['44', 'split'], // the check of a view
  ['54', 'split'], // too large
  ['P0', 'split'], // raised by a trigger
];

// Everything else that the standard and PostgreSQL define: the disk is full, the table is gone, a permission is missing.
// Triggers raise the others.
const OWN_CLASSES = /^(?:[0-4]|5|F0|HV|XX)/;

// Syntax error or access rule violation.
const MISTAKE = '42';

const CONSTRAINTS: Readonly<Record<string, ConstraintViolated['kind']>> = {
  23503: 'foreign key',
  23505: 'unique',
  23514: 'check',
};

// The SQLSTATEs of U+0000 in a text, and of its escape in a text that is converted to jsonb.
const NOT_STORABLE = ['22021', '22P05'];

/** Converts the error of a violated constraint, or of a text that cannot be stored; returns any other error unchanged. */
export function explainValue(error: unknown): unknown {
  const sqlState = sqlStateOf(error) ?? '';
  if (NOT_STORABLE.includes(sqlState)) return new TextNotStorable((error as DatabaseError).message, { cause: error });
  const kind = CONSTRAINTS[sqlState];
  if (kind === undefined) return error;
  const { message, constraint } = error as DatabaseError; // As only such an error has a SQLSTATE.
  return new ConstraintViolated(message, kind, constraint, { cause: error });
}

/** Tests whether a statement of the application is at fault, and not the database. */
export function isMistake(error: unknown): boolean {
  const sqlState = sqlStateOf(error);
  return sqlState?.startsWith(MISTAKE) === true && sqlState !== NO_PERMISSION;
}

/** Tests whether a COMMIT that ended so may have been carried out. */
export function isOutcomeUnknown(error: unknown): boolean {
  // 40003 is STATEMENT_COMPLETION_UNKNOWN, of the class of transactions that were rolled back.
  return error instanceof SessionLost || /^(?:08|57|40003$)/.test(sqlStateOf(error) ?? '');
}

/** Returns the way to recover from a failed batch; `undefined` for a bug. */
export function recoveryFor(error: unknown): Recovery | undefined {
  if (error instanceof ConstraintViolated || error instanceof TextNotStorable) return 'split';
  if (error instanceof SessionLost) return 'retry';
  if (error instanceof Dropped) return 'split';
  if (error instanceof PoolerSwitched) return 'wait';
  const sqlState = sqlStateOf(error);
  if (sqlState === undefined) return undefined;
  const known = RECOVERIES.find(([start]) => sqlState.startsWith(start))?.[1];
  return known ?? (OWN_CLASSES.test(sqlState) ? 'wait' : 'split');
}

/** Whether another transaction was in the way; the connection may be used again. */
export function isConflict(error: unknown): boolean {
  return /^(?:40|55P03$)/.test(sqlStateOf(error) ?? '');
}

/** Whether an error comes from another process that creates the same tables, so that a retry can succeed. */
export function isRaceOfCreations(error: unknown): boolean {
  return ['42P07', '42710', '23505', '40001', '40P01'].includes(sqlStateOf(error) ?? '');
}

// CANT_CHANGE_RUNTIME_PARAM, raised by the condition that settings are in force.
const SETTINGS_LOST = '55P02';
// Prepared statements belong to their session.
const STATEMENT_UNKNOWN = '26000';
const STATEMENT_KNOWN = '42P05';

/** Recognises that a statement was sent to another session than the connection's. */
export function detectSwitch(error: unknown): unknown {
  const isSwitched = [SETTINGS_LOST, STATEMENT_UNKNOWN, STATEMENT_KNOWN].includes(sqlStateOf(error) ?? '');
  return isSwitched ? new PoolerSwitched(error as DatabaseError) : error;
}

/** The reason why a server cannot be used, for operators, and whether a retry is useless. */
export type Reason = { readonly text: string; readonly isFinal: boolean };

const FINAL_REASONS: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong, or there is no such user',
  28000: 'rejected by pg_hba.conf',
  '3D000': 'there is no such database',
  [NO_PERMISSION]: 'this user has no permission for it',
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is not for this host's name",
};
const PASSING_REASONS: Readonly<Record<string, string>> = {
  53300: 'too many connections',
  '57P03': 'it is starting or stopping',
  ECONNREFUSED: 'connection refused',
  ENOENT: 'connection refused',
  ENOTFOUND: 'the name is unknown',
  EAI_AGAIN: 'the name cannot be looked up',
};

export function reasonOf(error: unknown): Reason {
  if (error instanceof LoginTimeout || error instanceof ReadOnly) return { text: error.message, isFinal: false };
  if (error instanceof PoolerSwitched) return { text: error.message, isFinal: true };
  if (error instanceof PasswordMissing)
    return { text: 'it requires a password, and none is configured', isFinal: true };
  if (error instanceof TlsFailed) return reasonOfTls(error.cause);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return { text: message, isFinal: false };
  const text = FINAL_REASONS[code] ?? PASSING_REASONS[code];
  const other = error instanceof DatabaseError ? message : 'it cannot be reached';
  return { text: `${text ?? other} (${code})`, isFinal: code in FINAL_REASONS };
}

function reasonOfTls(cause: unknown): Reason {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined)
    return { text: 'it does not support TLS; sslmode=disable connects without it', isFinal: true };
  // A server that stops during the handshake: not an error of certificates.
  if (code === 'ECONNRESET' || code === 'EPIPE') return { text: `the connection broke (${code})`, isFinal: false };
  return { text: `${FINAL_REASONS[code] ?? 'TLS failed'} (${code})`, isFinal: true };
}
