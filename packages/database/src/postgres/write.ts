import type { Logger } from 'pino';
import { BatchFailed } from '../batch-queue.ts';
import type { Insert } from '../commits.ts';
import type { BatchInsert, StatementResult } from '../database.ts';
import type { Statement } from '../sql.ts';
import type { RunStatement } from '../transaction.ts';
import {
  detectSwitch,
  Dropped,
  explainRejectedValue,
  isInvalidStatement,
  isOutcomeUnknown,
  PoolerSwitched,
  READ_ONLY_TRANSACTION,
  sqlStateOf,
} from './errors.ts';
import { isReadOnly, type Session } from './session.ts';
import type { BatchStatement } from './worker.ts';

export type TransactionOptions = {
  readonly isolation: 'READ COMMITTED' | 'SERIALIZABLE';
  readonly durability: Durability;
  readonly limitMs: number;
};

/**
 * Runs work in one transaction. After an error other than {@link BatchFailed}, the work may be retried. {@link
 * BatchFailed} means that the COMMIT may have succeeded, or that the work is at fault.
 */
export async function inTransaction<Result>(
  session: Session,
  work: (run: RunStatement) => Promise<Result>,
  { isolation, durability, limitMs }: TransactionOptions,
): Promise<Result> {
  let changed = 0;
  let result: Result;
  try {
    await session.query(`BEGIN ISOLATION LEVEL ${isolation}; SELECT 1 WHERE ${durability.guard}`, [], limitMs);
    result = await work(async (statement, use) => {
      const written = await runStatement(session, statement, limitMs);
      if (use === 'write') changed += written.count;
      return written;
    });
  } catch (error) {
    await session.query('ROLLBACK', [], limitMs).catch(session.destroy);
    throw await explainReadOnly(session, error, limitMs);
  }
  try {
    await commit(session, durability, limitMs);
    // The transaction changed nothing, for example because its rows exist already. They may not be on the standby yet.
    if (changed === 0) await waitForStandby(session, durability, limitMs);
  } catch (error) {
    if (!isOutcomeUnknown(error) || !(error instanceof Error)) throw error;
    session.destroy();
    throw new BatchFailed('wait', error);
  }
  return result;
}

/** Converts the error of a transaction that a statement has made read-only. Returns any other error unchanged. */
async function explainReadOnly(session: Session, error: unknown, limitMs: number): Promise<unknown> {
  if (sqlStateOf(error) !== READ_ONLY_TRANSACTION || (await isReadOnly(session, limitMs).catch(() => true)))
    return error;
  const problem = 'a statement has made the transaction read-only; nothing was written';
  return new BatchFailed('split', new Error(problem, { cause: error }));
}

/** Commits, unless the transaction has changed the settings that make its commit durable. */
async function commit(session: Session, { guard }: Durability, limitMs: number): Promise<void> {
  try {
    await session.query(`SELECT 1 WHERE ${guard}; COMMIT`, [], limitMs);
  } catch (error) {
    if (isOutcomeUnknown(error)) throw error;
    await session.query('ROLLBACK', [], limitMs).catch(session.destroy);
    if (!(detectSwitch(error) instanceof PoolerSwitched)) throw error;
    // Poolers do not switch sessions within a transaction, so a statement of the transaction is the cause.
    session.destroy();
    const problem = 'a statement has changed synchronous_commit or statement_timeout; nothing was written';
    throw new BatchFailed('split', new Error(problem, { cause: error }));
  }
}

/** Runs a statement of the application. An invalid statement is not a database failure, so it causes a plain error. */
export async function runStatement(
  session: Session,
  { text, values }: Statement,
  limitMs: number,
): Promise<StatementResult> {
  try {
    return await session.run(text, values, limitMs);
  } catch (error) {
    throw isInvalidStatement(error)
      ? new Error((error as Error).message, { cause: error })
      : explainRejectedValue(error);
  }
}

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
  const dimensions = 1;
  const nulls = 0;
  const lowerBound = 1;
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
