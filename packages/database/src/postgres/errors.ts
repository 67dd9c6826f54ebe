import type { BatchFailed } from '../batch-queue.ts';
import { ConstraintViolated, DatabaseUnavailable, TextNotStorable } from '../database.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { DatabaseError, LoginTimeout, PasswordMissing, SessionLost, TlsFailed } from './session.ts';

/** The server is a standby or read-only. */
export class ReadOnly extends Error {}

/** A statement succeeded without storing the row, for example because a trigger returned NULL. */
export class Dropped extends Error {}

/** A pooler ran a statement in another session than the connection's. Nothing was stored. */
export class PoolerSwitched extends Error {
  constructor(cause?: Error) {
    const problem = 'a connection pooler in between switches sessions';
    super(`${problem}: connect to PostgreSQL directly, or set pool_mode = session`, { cause });
  }
}

/** The database belongs to another program or version. The message continues "the database …". */
export class IncompatibleDatabase extends Error {}

/** Converts an error of a connected database to an error with one line for operators. Returns bugs unchanged. */
export function toOperatorError(location: PostgresLocation, error: unknown): unknown {
  const explained = explainRejectedValue(error);
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

// The first match is used, so longer codes precede their classes.
const RECOVERIES: readonly (readonly [sqlState: string, recovery: Recovery])[] = [
  ['53300', 'retry'], // too many connections
  ['55P03', 'retry'], // lock not available
  ['08', 'retry'], // connection exception
  [READ_ONLY_TRANSACTION, 'retry'], // the server is no longer the primary
  ['25P02', 'retry'], // an open transaction has failed
  ['40', 'retry'], // transaction rollback: serialization failure, deadlock
  ['57', 'retry'], // operator intervention: shutdown, crash, timeout
  ['28', 'wait'], // invalid authorization
  ['3D', 'wait'], // invalid catalog name: there is no such database
  ['42', 'wait'], // the table is missing, permission denied
  ['53', 'wait'], // insufficient resources: the disk is full
  ['58', 'wait'], // system error
  ['F0', 'wait'], // configuration file error
  ['HV', 'wait'], // foreign data wrapper error
  ['XX', 'wait'], // internal error
];

// Syntax error or access rule violation.
const MISTAKE = '42';

const CONSTRAINTS: Readonly<Record<string, ConstraintViolated['kind']>> = {
  23503: 'foreign key',
  23505: 'unique',
  23514: 'check',
};

// The SQLSTATEs for U+0000 in a text, and for its escape in a text that is converted to jsonb.
const NOT_STORABLE = ['22021', '22P05'];

/** Converts the error of a violated constraint or a text that cannot be stored. Returns any other error unchanged. */
export function explainRejectedValue(error: unknown): unknown {
  const sqlState = sqlStateOf(error) ?? '';
  if (NOT_STORABLE.includes(sqlState)) return new TextNotStorable((error as DatabaseError).message, { cause: error });
  const kind = CONSTRAINTS[sqlState];
  if (kind === undefined) return error;
  const { message, constraint } = error as DatabaseError; // Only a DatabaseError has a SQLSTATE.
  return new ConstraintViolated(message, kind, constraint, { cause: error });
}

/** Whether a statement of the application is invalid. */
export function isInvalidStatement(error: unknown): boolean {
  const sqlState = sqlStateOf(error);
  return sqlState?.startsWith(MISTAKE) === true && sqlState !== NO_PERMISSION;
}

/** Whether a COMMIT with this error may have succeeded. */
export function isOutcomeUnknown(error: unknown): boolean {
  // 40003 is STATEMENT_COMPLETION_UNKNOWN; the other codes of class 40 mean that the transaction was rolled back.
  return error instanceof SessionLost || /^(?:08|57|40003$)/.test(sqlStateOf(error) ?? '');
}

/** Returns the recovery from a failed batch; `undefined` for a bug. */
export function recoveryFor(error: unknown): Recovery | undefined {
  if (error instanceof ConstraintViolated || error instanceof TextNotStorable) return 'split';
  if (error instanceof SessionLost) return 'retry';
  if (error instanceof Dropped) return 'split';
  if (error instanceof PoolerSwitched) return 'wait';
  const sqlState = sqlStateOf(error);
  if (sqlState === undefined) return undefined;
  // All other codes are errors of a statement or of its values; triggers may raise any code.
  return RECOVERIES.find(([start]) => sqlState.startsWith(start))?.[1] ?? 'split';
}

/** Whether an error is a conflict with another transaction; the connection can be used again. */
export function isConflict(error: unknown): boolean {
  return /^(?:40|55P03$)/.test(sqlStateOf(error) ?? '');
}

/** Whether another process created the same tables at the same time, so that a retry can succeed. */
export function isRaceOfCreations(error: unknown): boolean {
  return ['42P07', '42710', '23505', '40001', '40P01'].includes(sqlStateOf(error) ?? '');
}

// CANT_CHANGE_RUNTIME_PARAM, raised by the condition that checks the settings.
const SETTINGS_LOST = '55P02';
// Prepared statements belong to their session.
const STATEMENT_UNKNOWN = '26000';
const STATEMENT_KNOWN = '42P05';

/** Converts an error that shows that a pooler switched sessions. Returns any other error unchanged. */
export function detectSwitch(error: unknown): unknown {
  const isSwitched = [SETTINGS_LOST, STATEMENT_UNKNOWN, STATEMENT_KNOWN].includes(sqlStateOf(error) ?? '');
  return isSwitched ? new PoolerSwitched(error as DatabaseError) : error;
}

/** Why a server cannot be used, for operators, and whether a retry is useless. */
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
  // The server stopped during the handshake; the certificates are not at fault.
  if (code === 'ECONNRESET' || code === 'EPIPE') return { text: `the connection broke (${code})`, isFinal: false };
  return { text: `${FINAL_REASONS[code] ?? 'TLS failed'} (${code})`, isFinal: true };
}
