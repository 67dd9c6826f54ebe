import type { Logger } from 'pino';
import { sqlStateOf } from './errors.ts';
import type { Session } from './session.ts';

/** The SQL of durable commits. */
export type Durability = {
  /** A condition that raises an error unless a commit in this session is durable. */
  readonly guard: string;
  /** The application's name, for the server's log. */
  readonly name: string;
};

const UNDEFINED_FUNCTION = '42883';
// Only an administrator of the server can set these; an engine may lack them.
const UNSAFE = `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`;

/** Warns when the configuration of the server allows the loss of committed transactions. */
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
 * Waits until everything that this session can see is on its synchronous standby. The commit that added it may have been
 * cut off from its wait; a later commit is replicated after it, and its wait includes it.
 */
export async function waitForStandby(session: Session, { guard, name }: Durability, limitMs: number): Promise<void> {
  try {
    await session.query(`SELECT pg_logical_emit_message(true, '${name}', '') WHERE ${guard}`, [], limitMs);
  } catch (error) {
    // Engines without this function replicate before a commit can be seen.
    if (sqlStateOf(error) !== UNDEFINED_FUNCTION) throw error;
  }
}
