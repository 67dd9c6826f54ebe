import { DatabaseUnavailable } from '../database.ts';
import { sizeOfRow } from '../size.ts';
import type { Statement } from '../sql.ts';
import type { Connector } from './connector.ts';
import { explain } from './errors.ts';
import type { Result, Session } from './session.ts';

// One response is held in memory: so many rows, or fewer if they are large.
const BATCH_ROWS = 1_000;
const FIRST_BATCH_ROWS = 10;
const BATCH_BYTES = 4_194_304;

/** Streams the rows of a query through a connection of its own. @throws {DatabaseUnavailable} while reading */
export async function* streamRows(
  connector: Connector,
  description: string,
  query: Statement,
  signal: AbortSignal,
): AsyncGenerator {
  let session: Session | undefined;
  try {
    session = await connector.connect(signal);
    signal.addEventListener('abort', session.destroy);
    yield* fetchAll(session, query);
  } catch (error) {
    throw signal.aborted ? new DatabaseUnavailable('the database was closed') : explain(description, error);
  } finally {
    if (session !== undefined) signal.removeEventListener('abort', session.destroy);
    session?.destroy();
  }
}

async function* fetchAll(session: Session, { text, values }: Statement): AsyncGenerator {
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await session.query('SET LOCAL statement_timeout = 0');
  await session.run(`DECLARE stream NO SCROLL CURSOR FOR ${text}`, values);
  for (let wanted = FIRST_BATCH_ROWS; ;) {
    const { rows } = await session.run(`FETCH ${String(wanted)} FROM stream`, []);
    yield* rows;
    if (rows.length < wanted) return;
    wanted = Math.min(BATCH_ROWS, Math.ceil((wanted * BATCH_BYTES) / sizeOf(rows)));
  }
}

function sizeOf(rows: Result['rows']): number {
  return rows.reduce((bytes, row) => bytes + sizeOfRow(row), 1);
}
