import { DatabaseUnavailable } from '../database.ts';
import type { PlantReader, StoredPlant } from '../../../plants/plant-store.ts';
import { toPlant } from '../../../plants/plant-text.ts';
import { createConnector } from './connector.ts';
import { explain } from './errors.ts';
import { findPlace } from './schema.ts';
import { readVersion } from './migrations.ts';
import type { Session } from './session.ts';
import { describePostgres, type PostgresLocation } from './location.ts';

type PlantRow = { readonly id: string; readonly plant: string };

const CONNECT_TIMEOUT_MS = 10_000;
// One answer is held in memory: so many rows, or fewer if they are large.
const BATCH_ROWS = 1_000;
const FIRST_BATCH_ROWS = 10;
const BATCH_CHARACTERS = 4_194_304;

const LIST = {
  history: (schema: string) => `SELECT id, plant FROM ${schema}.plants ORDER BY created_at, place, key`,
  current: (schema: string) => `SELECT id, plant
    FROM (SELECT DISTINCT ON (id) * FROM ${schema}.plants ORDER BY id, created_at DESC, place DESC, key DESC) AS latest
    ORDER BY created_at, place, key`,
};

/**
 * Opens a PostgreSQL store for reading. A list is a snapshot of when its reading began.
 *
 * @throws {DatabaseUnavailable} when the database cannot be used, or has no plant store in it
 */
export async function openPostgresReader(location: PostgresLocation): Promise<PlantReader> {
  const description = describePostgres(location);
  const connector = createConnector(location, {
    hostTimeoutMs: location.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  });
  const closed = new AbortController();

  const session = await connector.connect(closed.signal);
  let schema: string;
  try {
    const place = await findPlace(session, description);
    if ((await readVersion(session, place, description)) === 0) {
      throw new DatabaseUnavailable(`there is no plant store in ${description}`);
    }
    schema = place.schema;
  } catch (error) {
    throw explain(description, error);
  } finally {
    await session.close();
  }
  return {
    async *list(which) {
      const session = await connector.connect(closed.signal);
      closed.signal.addEventListener('abort', session.destroy);
      try {
        yield* fetchAll(session, LIST[which](schema));
      } catch (error) {
        throw explain(description, error);
      } finally {
        closed.signal.removeEventListener('abort', session.destroy);
        session.destroy();
      }
    },
    async close() {
      closed.abort();
    },
  };
}

async function* fetchAll(session: Session, select: string): AsyncGenerator<StoredPlant> {
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await session.query('SET LOCAL statement_timeout = 0');
  await session.query(`DECLARE plants_list NO SCROLL CURSOR FOR ${select}`);
  for (let wanted = FIRST_BATCH_ROWS; ;) {
    // Neither column may be null, and what is in `plant` was written by the store.
    const rows = (await session.query(`FETCH ${String(wanted)} FROM plants_list`)) as readonly PlantRow[];
    for (const { id, plant } of rows) yield toPlant(BigInt(id), plant);
    if (rows.length < wanted) return;
    const characters = rows.reduce((sum, { plant }) => sum + plant.length, 0);
    wanted = Math.min(BATCH_ROWS, Math.ceil((wanted * BATCH_CHARACTERS) / characters));
  }
}
