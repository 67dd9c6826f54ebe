import { hash } from 'node:crypto';
import { type Database, DatabaseUnavailable, type Definition, identifierOf, type StatementResult } from './database.ts';
import { type Dialect, either, sql, table, type Query } from './sql.ts';
import { TransactionTimeout, type RunPart, type Work } from './transaction.ts';

const DAY_MS = 86_400_000;
const CLEAN_EVERY_MS = 10_000;
/** The rows that a transaction removes at most, since SQLite lets other writes wait for it. */
const CLEANED_ROWS = 1_000;

/** Returns the name of the table with the results of `once`. */
export function onceTableOf({ name }: Pick<Definition, 'name'>): string {
  return `${identifierOf(name)}_once`;
}

/** Returns the statements that create the table with the results of `once`, unless it exists. */
export function onceTableSql(definition: Pick<Definition, 'name'>, { schema }: Pick<Dialect, 'schema'>): string {
  const name = onceTableOf(definition);
  const qualified = schema === undefined ? name : `${schema}.${name}`;
  return `CREATE TABLE IF NOT EXISTS ${qualified}
    (key text PRIMARY KEY, result text NOT NULL, created_at bigint NOT NULL);
    CREATE INDEX IF NOT EXISTS ${name}_by_age ON ${qualified} (created_at)`;
}

export type Once = NonNullable<Database['once']>;

type OnceParts = {
  /** Runs work in one transaction. */
  readonly transact: <Result>(work: Work<Result>) => Promise<Result>;
  /** Runs work whose calls of the database are parts of a transaction. */
  readonly join: <Result>(runPart: RunPart, work: () => Promise<Result>) => Promise<Result>;
  readonly write: (...statements: readonly Query[]) => Promise<readonly StatementResult[]>;
};

/** Creates the function `once` of a database. */
export function createOnce(definition: Pick<Definition, 'name'>, { transact, join, write }: OnceParts): Once {
  const results = table(onceTableOf(definition));
  /** The keys whose work runs in this process. */
  const running = new Set<string>();
  let cleanAt = 0;
  return async (key, work) => {
    if (running.has(key)) return undefined;
    running.add(key);
    try {
      const now = Date.now();
      return await transact(async (transaction, runPart) => {
        const [claimed] = await transaction.write(claim(key, now));
        if (claimed?.count === 0) return (await transaction.read(find(key, now)))[0]?.result;
        const result = await join(runPart, work);
        await runPart(() => transaction.write(store(key, result, now))); // After parts that the work did not await.
        return result;
      });
    } catch (error) {
      // The client may repeat the request with its key.
      throw error instanceof TransactionTimeout ? new DatabaseUnavailable(error.message) : error;
    } finally {
      running.delete(key);
      clean();
    }
  };

  /**
   * Inserts a key, or replaces an expired one, unless another process has locked it. Neither this statement nor `store`
   * reads, so that PostgreSQL finds no conflict between transactions with different keys.
   */
  function claim(key: string, now: number): Query {
    const lock = hash('sha256', key, 'buffer').readBigInt64BE();
    const isFree = either({ sqlite: sql`true`, postgres: sql`pg_try_advisory_xact_lock(${lock})` });
    return sql`INSERT INTO ${results} AS known (key, result, created_at)
      SELECT CAST(${key} AS text), '', CAST(${BigInt(now)} AS bigint) WHERE ${isFree}
      ON CONFLICT (key) DO UPDATE SET result = '', created_at = excluded.created_at
      WHERE known.created_at <= ${BigInt(now - DAY_MS)}`;
  }

  /** Finds a result. An expired one is not found while another process replaces it. */
  function find(key: string, now: number): Query<{ readonly result: string }> {
    return sql`SELECT result FROM ${results} WHERE key = ${key} AND created_at > ${BigInt(now - DAY_MS)}`;
  }

  function store(key: string, result: string, now: number): Query {
    return sql`INSERT INTO ${results} (key, result, created_at) VALUES (${key}, ${result}, ${BigInt(now)})
      ON CONFLICT (key) DO UPDATE SET result = excluded.result`;
  }

  /** Removes expired results. Not in the transactions of `once`, which would then conflict. */
  function clean(): void {
    const now = Date.now();
    if (now < cleanAt) return;
    cleanAt = now + CLEAN_EVERY_MS;
    void removeBefore(BigInt(now - DAY_MS)).catch(() => undefined); // Tried again later; `claim` ignores expired results.
  }

  async function removeBefore(time: bigint): Promise<void> {
    const remove = sql`DELETE FROM ${results} WHERE key IN
      (SELECT key FROM ${results} WHERE created_at <= ${time} LIMIT ${BigInt(CLEANED_ROWS)})`;
    let removed: number | undefined;
    do {
      removed = (await write(remove))[0]?.count;
    } while (removed === CLEANED_ROWS); // There may be more.
  }
}
