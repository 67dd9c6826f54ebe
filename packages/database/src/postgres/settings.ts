import { randomUUID } from 'node:crypto';
import { PoolerSwitched } from './errors.ts';
import type { Session } from './session.ts';

/** The settings of a session that writes, and a condition that checks them. */
export type Settings = {
  /**
   * Sets up a session.
   *
   * @param openAnother logs in once more, in the same way
   * @throws {PoolerSwitched} when a connection pooler is seen to run statements of one connection in several sessions
   */
  readonly prepare: (session: Session, openAnother: () => Promise<Session>, limitMs: number) => Promise<void>;
  /**
   * An SQL condition: this session was set up, and its settings are the same as then. It is true, or raises
   * the error that `detectSwitch` recognises.
   */
  readonly inForce: string;
};

const PROBE_TIMEOUT_MS = 1_000;

const SHOW_PROCESS = 'SELECT pg_backend_pid() AS process';

// Always set explicitly: a session's default changes with the server's configuration. Values of synchronous_commit other
// than `off` are the operator's choice of where, and how often, a commit is written before it is confirmed.
//
// Where the engine has these settings, the plan of a prepared statement is kept, which halves the server's work for a lone
// row, and uses the index from the start: one made while the table was empty would scan the whole table for every row.
//
// search_path stays as it is: triggers may need it. No statement depends on it: tables are qualified, and functions and
// operators are called with the very types that those of pg_catalog have, which comes first.
const prepareFor = (mark: string): string => `
  SELECT set_config('${mark}',
      $1::text || set_config('statement_timeout', $2, false) || ' '
        || set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false),
      false) AS mark`;
// A machine that is cut off in a transaction would keep its locks until TCP gives the connection up, hours later.
const SET_FOR_WRITING = `
  SELECT count(set_config(name, CASE name WHEN 'enable_seqscan' THEN 'off' WHEN 'plan_cache_mode' THEN 'force_generic_plan'
    ELSE $2 END, false))
  FROM pg_settings WHERE name IN ('enable_seqscan', 'plan_cache_mode', 'idle_in_transaction_session_timeout')`;
// A query may be repeated after a lost connection, so it must not write.
const SET_FOR_READING = "SELECT set_config('default_transaction_read_only', 'on', false)";

/**
 * @param name of the application, an identifier
 * @param statementTimeoutMs how long the server may work on one statement
 * @param use sessions that write run one prepared statement again and again; those that read, any queries
 */
export function createSettings(name: string, statementTimeoutMs: number, use: 'write' | 'read'): Settings {
  const id = randomUUID();
  const mark = `${name}.session`;
  const prepareSession = `${prepareFor(mark)}, (${use === 'write' ? SET_FOR_WRITING : SET_FOR_READING}) AS others`;
  return {
    async prepare(session, openAnother, limitMs) {
      const [row] = await session.query(SHOW_PROCESS, [], limitMs);
      // A pooler makes up what it says at the login, for a session is found later. Its other clients are to keep theirs
      // as they are, so nothing is set before it is known to leave them alone.
      if (row?.['process'] !== session.processId()) await refuseSharing(mark, session, openAnother, limitMs);
      await session.query(prepareSession, [id, String(statementTimeoutMs)], limitMs);
    },
    // A subquery runs once, not for every row. Setting server_version always raises an error.
    inForce: `(SELECT CASE
      WHEN current_setting('${mark}', true) =
        '${id}' || current_setting('statement_timeout') || ' ' || current_setting('synchronous_commit') THEN true
      ELSE set_config('server_version', '', true) IS NULL END)`,
  };
}

/**
 * Looks for a mark of one connection from another one. A pooler that lends sessions hands out the same one again, or
 * another one to the first connection. Finding nothing proves nothing; each statement that writes looks for itself.
 */
async function refuseSharing(
  mark: string,
  session: Session,
  openAnother: () => Promise<Session>,
  limitMs: number,
): Promise<void> {
  const value = randomUUID();
  const show = `SELECT current_setting('${mark}', true) AS mark`;
  await session.query(`SELECT set_config('${mark}', $1, false)`, [value], limitMs);
  // It may have to wait for a session of its own, or get none: then they are not lent.
  const seen = await readMark(show, openAnother).catch(() => undefined);
  // Twice: a pooler with two sessions, used in turn, is back at the first one.
  const [first] = await session.query(show, [], limitMs);
  const [second] = await session.query(show, [], limitMs);
  if (seen === value || first?.['mark'] !== value || second?.['mark'] !== value) throw new PoolerSwitched();
}

async function readMark(show: string, openAnother: () => Promise<Session>): Promise<string | null | undefined> {
  const other = await openAnother();
  try {
    const [row] = await other.query(show, [], PROBE_TIMEOUT_MS);
    return row?.['mark'];
  } finally {
    other.destroy();
  }
}
