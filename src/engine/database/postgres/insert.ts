import type { PostgresConnection } from './connection.ts';
import { Dropped, sqlStateOf } from './errors.ts';
import type { Statement } from './worker.ts';

/** A creation on its way to the database. */
export type Item = { readonly key: string; readonly id: string; readonly plant: string };

// One statement is a transaction of its own, in one round trip. A later creation of an id is later than every one that
// was committed before it, even if the clock of this server is behind; within a statement, `place` is the order.
//
// In a session that lacks the settings, the condition raises an error.
const insert = (schema: string, inForce: string): string => `
  INSERT INTO ${schema}.plants (key, id, created_at, place, plant)
  SELECT new.key, new.id,
    greatest(now(), (SELECT max(created_at) FROM ${schema}.plants WHERE id = new.id) + interval '1 microsecond'),
    new.place, new.plant
  FROM unnest($1::uuid[], $2::bigint[], $3::text[]) WITH ORDINALITY AS new (key, id, plant, place)
  WHERE ${inForce}
  ON CONFLICT (key, id) DO NOTHING
  RETURNING place`;

const knownKeys = (schema: string): string => `SELECT key FROM ${schema}.plants WHERE key = ANY($1::uuid[])`;
const commitSomething = (inForce: string): string =>
  `SELECT pg_logical_emit_message(true, 'plant-store', '') WHERE ${inForce}`;
const UNDEFINED_FUNCTION = '42883';

const TEXT_OID = 25;

/**
 * Creates the statement that adds creations in one transaction, those whose key is not there yet, and says of each whether
 * it was added now.
 *
 * It throws {@link Dropped} when the database took it, but kept nothing of some of them, and what
 * {@link PostgresConnection.query} throws.
 *
 * @param schema of the tables, quoted
 * @param inForce an SQL condition that raises an error unless what is committed here is durable
 */
export function createInsert(schema: string, inForce: string): Statement<Item, boolean> {
  const INSERT = insert(schema, inForce);
  const KNOWN_KEYS = knownKeys(schema);
  const COMMIT_SOMETHING = commitSomething(inForce);

  return async function insertPlants(connection, items, limitMs) {
    const columns = [
      items.map(({ key }) => key),
      items.map(({ id }) => id),
      toTextArray(items.map(({ plant }) => plant)),
    ];
    const rows = await connection.query(INSERT, columns, limitMs, 'insert_plants');
    const areNew = items.map(() => false);
    for (const { place } of rows) areNew[Number(place) - 1] = true;

    const others = items.filter((_, index) => areNew[index] === false);
    if (others.length > 0) await confirm(connection, others, limitMs);
    if (rows.length === 0) await waitForStandby(connection, limitMs);
    return areNew;
  };

  /** What was not added now has to be there already. A trigger may have dropped it. */
  async function confirm(connection: PostgresConnection, known: readonly Item[], limitMs: number): Promise<void> {
    const found = await connection.query(KNOWN_KEYS, [known.map(({ key }) => key)], limitMs);
    const keys = new Set(found.map(({ key }) => key));
    if (known.some(({ key }) => !keys.has(key.toLowerCase()))) throw new Dropped('the database has dropped the plant');
  }

  /**
   * The commit that added them may have been cut off from its wait for a synchronous standby. Something that is committed
   * now comes after it, and is waited for; where a row was added, that is its own commit.
   */
  async function waitForStandby(connection: PostgresConnection, limitMs: number): Promise<void> {
    try {
      await connection.query(COMMIT_SOMETHING, [], limitMs);
    } catch (error) {
      // Engines that have no such function replicate before a commit can be seen.
      if (sqlStateOf(error) !== UNDEFINED_FUNCTION) throw error;
    }
  }
}

/** A `text[]` in PostgreSQL's binary format. In the other one, every quote of a plant would have to be escaped. */
function toTextArray(texts: readonly string[]): Buffer {
  const [dimensions, nulls, lowerBound] = [1, 0, 1];
  const parts = [int32s(dimensions, nulls, TEXT_OID, texts.length, lowerBound)];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    parts.push(int32s(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function int32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  values.forEach((value, index) => bytes.writeInt32BE(value, index * 4));
  return bytes;
}
