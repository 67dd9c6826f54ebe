import type { Definition } from '../database.ts';
import type { Value } from '../sql.ts';
import type { PostgresConnection } from './connection.ts';
import { Dropped, sqlStateOf } from './errors.ts';
import type { BatchStatement } from './worker.ts';

/** A row on its way to the database. */
export type Insert<Row> = { readonly key: string; readonly row: Row };

const UNDEFINED_FUNCTION = '42883';
const TEXT_OID = 25;

/** The statements that insert a batch. */
export type InsertStatements<Row> = {
  /**
   * Inserts the rows whose key is not there yet, in one transaction, and returns for each whether it was inserted now.
   *
   * It throws {@link Dropped} when the database accepted the statement but kept nothing of some rows, and the errors of
   * {@link PostgresConnection.query}.
   */
  readonly insert: BatchStatement<Insert<Row>, boolean>;
  /** Waits until everything that this session can see is on its synchronous standby. */
  readonly waitForStandby: (connection: PostgresConnection, limitMs: number) => Promise<void>;
};

/**
 * Creates the statements from an application's definition.
 *
 * @param schema of the tables, quoted
 * @param guard an SQL condition that raises an error unless a commit in this session is durable
 */
export function createInsert<Row extends Readonly<Record<string, Value>>>(
  { name, insert: { table, columns, postgres } }: Definition<Row>,
  schema: string,
  guard: string,
): InsertStatements<Row> {
  const types = Object.entries<'bigint' | 'text'>(columns);
  const arrays = ['uuid', ...types.map(([, type]) => type)].map((type, index) => `$${String(index + 1)}::${type}[]`);
  const names = ['key', ...types.map(([column]) => column), 'place'].join(', ');
  // One statement is a transaction of its own, in one round trip. Within it, `place` is the order of the rows.
  const INSERT = postgres({ schema, guard, rows: `unnest(${arrays.join(', ')}) WITH ORDINALITY AS new (${names})` });
  const KNOWN_KEYS = `SELECT key FROM ${schema}.${table} WHERE key = ANY($1::uuid[])`;
  const COMMIT_SOMETHING = `SELECT pg_logical_emit_message(true, '${name.replaceAll(' ', '-')}', '') WHERE ${guard}`;

  return { insert, waitForStandby };

  async function insert(
    connection: PostgresConnection,
    items: readonly Insert<Row>[],
    limitMs: number,
  ): Promise<readonly boolean[]> {
    const values = types.map(([column, type]) => {
      const texts = items.map(({ row }) => String(row[column]));
      return type === 'text' ? toTextArray(texts) : texts;
    });
    const rows = await connection.query(INSERT, [items.map(({ key }) => key), ...values], limitMs, 'insert');
    const areNew = items.map(() => false);
    for (const { place } of rows) areNew[Number(place) - 1] = true;

    const others = items.filter((_, index) => areNew[index] === false);
    if (others.length > 0) await confirm(connection, others, limitMs);
    if (rows.length === 0) await waitForStandby(connection, limitMs);
    return areNew;
  }

  /** Checks that rows that were not inserted now are there already. A trigger may have dropped them. */
  async function confirm(
    connection: PostgresConnection,
    known: readonly Insert<Row>[],
    limitMs: number,
  ): Promise<void> {
    const found = await connection.query(KNOWN_KEYS, [known.map(({ key }) => key)], limitMs);
    const keys = new Set(found.map(({ key }) => key));
    if (known.some(({ key }) => !keys.has(key.toLowerCase()))) throw new Dropped('the database has dropped the row');
  }

  /**
   * The commit that added the rows may have been cut off from its wait for a synchronous standby. A later commit is
   * replicated after it, and its wait includes them.
   */
  async function waitForStandby(connection: PostgresConnection, limitMs: number): Promise<void> {
    try {
      await connection.query(COMMIT_SOMETHING, [], limitMs);
    } catch (error) {
      // Engines without this function replicate before a commit can be seen.
      if (sqlStateOf(error) !== UNDEFINED_FUNCTION) throw error;
    }
  }
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
