import { randomUUID } from 'node:crypto';
import { PoolerSwitched } from './errors.ts';
import type { Session } from './session.ts';

/** The settings of a session that writes, and a condition that checks them. */
export type SessionSettings = {
  /**
   * Sets up a session.
   *
   * @param openAnother opens a second connection in the same way
   * @throws {PoolerSwitched} when a connection pooler runs the statements of one connection in several sessions
   */
  readonly prepare: (session: Session, openAnother: () => Promise<Session>, limitMs: number) => Promise<void>;
  /**
   * An SQL condition that checks that this session was set up and its settings are unchanged. It is true, or raises the
   * error that `detectSwitch` recognises.
   */
  readonly guard: string;
};

const PROBE_TIMEOUT_MS = 1_000;
// The server ends a statement after the time limit of its caller, whose error names the statement.
const STATEMENT_GRACE_MS = 500;

const SHOW_PROCESS = 'SELECT pg_backend_pid() AS process';

// Settings are set explicitly, since a session's default changes with the server's configuration. Values of
// synchronous_commit other than `off` are the operator's choice of the guarantees before a commit is confirmed.
//
// plan_cache_mode and enable_seqscan are set if the engine has them. A generic plan halves the server's work for a
// single row. Without sequential scans, a plan made while the table was empty uses the index instead of scanning the
// whole table for every row.
//
// search_path is not changed, since triggers may need it. No statement depends on it: tables are qualified, and calls
// of functions and operators match the exact types of pg_catalog, which is searched first.
const prepareFor = (mark: string): string => `
  SELECT set_config('${mark}',
      $1::text || set_config('statement_timeout', $2, false) || ' '
        || set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false),
      false) AS mark`;
// idle_in_transaction_session_timeout: a disconnected client would keep its locks until TCP times out, hours later.
const SET_FOR_WRITING = `
  SELECT count(set_config(name, CASE name WHEN 'enable_seqscan' THEN 'off' WHEN 'plan_cache_mode' THEN 'force_generic_plan'
    ELSE $2 END, false))
  FROM pg_settings WHERE name IN ('enable_seqscan', 'plan_cache_mode', 'idle_in_transaction_session_timeout')`;
// Queries are repeated after a lost connection, so they must not write.
const SET_FOR_READING = "SELECT set_config('default_transaction_read_only', 'on', false)";

/**
 * Creates the settings of sessions.
 *
 * @param name the name of the application as an identifier
 * @param timeoutMs the time limit of callers, after which the server soon ends a statement
 * @param use writing sessions run the same prepared statement repeatedly; reading sessions run arbitrary queries
 */
export function createSettings(name: string, timeoutMs: number, use: 'write' | 'read'): SessionSettings {
  const id = randomUUID();
  const mark = `${name}.session`;
  const prepareSession = `${prepareFor(mark)}, (${use === 'write' ? SET_FOR_WRITING : SET_FOR_READING}) AS others`;
  return {
    async prepare(session, openAnother, limitMs) {
      const [row] = await session.query(SHOW_PROCESS, [], limitMs);
      // A pooler reports a made-up process id at login, since it assigns a session later. Settings must not leak to
      // other clients of a pooler, so nothing is set before sharing is ruled out.
      if (row?.['process'] !== session.processId()) await refuseSharing(mark, session, openAnother, limitMs);
      await session.query(prepareSession, [id, String(timeoutMs + STATEMENT_GRACE_MS)], limitMs);
    },
    // A subquery, since it runs once, not for every row. Setting server_version always raises an error.
    guard: `(SELECT CASE
      WHEN current_setting('${mark}', true) =
        '${id}' || current_setting('statement_timeout') || ' ' || current_setting('synchronous_commit') THEN true
      ELSE set_config('server_version', '', true) IS NULL END)`,
  };
}

/**
 * Detects a pooler that shares sessions: marks the session of a connection, and looks for the mark from a second
 * connection. Such a pooler may assign the same session to the second connection, or another session to the first. This
 * check can miss a pooler, so each writing statement also checks the settings.
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
  // A second connection that gets no session in time proves that sessions are not shared.
  const seen = await readMark(show, openAnother).catch(() => undefined);
  // Twice, since a pooler that alternates between two sessions may be back at the first.
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
