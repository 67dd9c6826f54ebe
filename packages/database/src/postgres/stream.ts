import { DatabaseUnavailable } from '../database.ts';
import { sizeOfValues } from '../size.ts';
import type { Statement } from '../sql.ts';
import type { Connector } from './connector.ts';
import { explain } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import type { Result, Session } from './session.ts';

// One response is held in memory: so many rows, or fewer if they are large.
const PAGE_ROWS = 1_000;
const FIRST_PAGE_ROWS = 10;
const PAGE_BYTES = 4_194_304;

type Page = Result['rows'];

/** Streams the rows of a query in pages, through a connection of its own. @throws {DatabaseUnavailable} while reading */
export async function* streamPages(
  connector: Connector,
  location: PostgresLocation,
  query: Statement,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  let session: Session | undefined;
  try {
    session = await connector.connect(signal);
    signal.addEventListener('abort', session.destroy);
    yield* fetchAll(session, query);
  } catch (error) {
    throw signal.aborted ? new DatabaseUnavailable('the database was closed') : explain(location, error);
  } finally {
    if (session !== undefined) signal.removeEventListener('abort', session.destroy);
    session?.destroy();
  }
}

async function* fetchAll(session: Session, { text, values }: Statement): AsyncGenerator<Page> {
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await session.query('SET LOCAL statement_timeout = 0');
  await session.run(`DECLARE stream NO SCROLL CURSOR FOR ${text}`, values);
  for (let wanted = FIRST_PAGE_ROWS; ;) {
    const { rows } = await session.run(`FETCH ${String(wanted)} FROM stream`, []);
    yield rows;
    if (rows.length < wanted) return;
    wanted = Math.min(PAGE_ROWS, Math.ceil((wanted * PAGE_BYTES) / sizeOf(rows)));
  }
}

function sizeOf(rows: Page): number {
  return rows.reduce((bytes, row) => bytes + sizeOfValues(Object.values(row)), 1);
}
