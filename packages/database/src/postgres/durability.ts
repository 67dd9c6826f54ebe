import type { Logger } from 'pino';
import { sqlStateOf } from './errors.ts';
import type { Session } from './session.ts';

/** The SQL of durable commits. */
export type Durability = {
  /** An SQL condition that raises an error unless commits in this session are durable. */
  readonly guard: string;
  /** The application's name, for the server's log. */
  readonly name: string;
};

const UNDEFINED_FUNCTION = '42883';
// Settings that only an administrator of the server can change. Some engines lack them.
const UNSAFE = `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`;

/** Logs a warning when the server's configuration allows the loss of committed transactions. */
export async function warnIfUnsafe(session: Session, log: Logger, limitMs: number): Promise<void> {
  const settings = await session.query(UNSAFE, [], limitMs);
  if (settings.length === 0) return;
  const names = settings.map(({ name }) => name).join(' and ');
  log.warn(
    `the database server has ${names} set to off: a crash of its machine may lose stored rows or damage the ` +
      `database; set ${names} to on`,
  );
}

/**
 * Waits until all data visible to this session is on the synchronous standby. The wait of the commit that wrote the
 * data may have been cancelled. Commits are replicated in order, so waiting for a new commit includes all earlier
 * commits.
 */
export async function waitForStandby(session: Session, { guard, name }: Durability, limitMs: number): Promise<void> {
  try {
    await session.query(`SELECT pg_logical_emit_message(true, '${name}', '') WHERE ${guard}`, [], limitMs);
  } catch (error) {
    // Engines without this function replicate a commit before it becomes visible.
    if (sqlStateOf(error) !== UNDEFINED_FUNCTION) throw error;
  }
}
