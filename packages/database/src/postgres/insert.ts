import type { Insert } from '../commits.ts';
import type { BatchInsert } from '../database.ts';
import { waitForStandby, type Durability } from './durability.ts';
import { Dropped } from './errors.ts';
import type { Session } from './session.ts';
import type { BatchStatement } from './worker.ts';

const TEXT_OID = 25;

/**
 * Creates the statement that inserts rows whose key does not exist yet, in one transaction. The statement returns for
 * each row whether it was inserted now, and throws {@link Dropped} when the database accepted a row but did not store
 * it.
 *
 * @param schema the quoted schema of the table
 */
export function createInsert<Row>(
  { table, columns, postgres }: BatchInsert<Row>,
  schema: string,
  durability: Durability,
): BatchStatement<Insert, boolean> {
  const types = Object.values<'bigint' | 'text'>(columns);
  const arrays = ['uuid', ...types].map((type, index) => `$${String(index + 1)}::${type}[]`).join(', ');
  const names = ['key', ...Object.keys(columns), 'place'].join(', ');
  const rows = `unnest(${arrays}) WITH ORDINALITY AS new (${names})`;
  // A single statement is its own transaction, in one round trip.
  const INSERT = postgres(schema, `(SELECT * FROM ${rows} WHERE ${durability.guard}) AS new`);
  const KNOWN_KEYS = `SELECT key FROM ${schema}.${table} WHERE key = ANY($1::uuid[])`;

  return async (session, items, limitMs) => {
    const values = types.map((type, index) => {
      const texts = items.map(({ row }) => String(row[index]));
      return type === 'text' ? toTextArray(texts) : texts;
    });
    const inserted = await readKeys(session, INSERT, [keysOf(items), ...values], limitMs, 'insert');
    const isNothingNew = inserted.size === 0;
    // If several rows have the same key, the first was inserted.
    const areNew = items.map(({ key }) => inserted.delete(normal(key)));

    const others = items.filter((_, index) => areNew[index] === false);
    if (others.length > 0) {
      // Rows that were not inserted must exist already, unless a trigger has dropped them.
      const known = await readKeys(session, KNOWN_KEYS, [keysOf(others)], limitMs);
      if (others.some(({ key }) => !known.has(normal(key)))) throw new Dropped('the database has dropped the row');
    }
    if (isNothingNew) await waitForStandby(session, durability, limitMs);
    return areNew;
  };
}

async function readKeys(session: Session, ...query: Parameters<Session['query']>): Promise<Set<string>> {
  return new Set((await session.query(...query)).map(({ key }) => key ?? ''));
}

function keysOf(items: readonly Insert[]): readonly (string | undefined)[] {
  return items.map(({ key }) => key);
}

/** Returns a key in PostgreSQL's format. */
function normal(key = ''): string {
  return key.toLowerCase();
}

/** Encodes a `text[]` in PostgreSQL's binary format. The text format would have to escape every quote. */
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
