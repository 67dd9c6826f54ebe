import type { Logger } from 'pino';
import type { Session } from './session.ts';

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
