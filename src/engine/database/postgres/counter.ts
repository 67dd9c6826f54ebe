import { hash } from 'node:crypto';
import { BatchQueue } from '../batch-queue.ts';
import {
  identifierOf,
  type Count,
  type Counter,
  type CounterOptions,
  type DatabaseOptions,
  type Definition,
} from '../database.ts';
import { createHealth } from '../health.ts';
import { ITEM_BYTES } from '../size.ts';
import { connectorsFor } from './connector.ts';
import { connectWithin } from './database.ts';
import { Dropped, explain } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import { migrate } from './migrations.ts';
import { createSettings } from './settings.ts';
import { PostgresWorker, type BatchStatement } from './worker.ts';

const counterTables: Definition = {
  name: 'rate limit',
  tag: 'rate',
  tables: ['rate_limit_counts'],
  migrations: {
    sqlite: [],
    // Without a log, a commit waits for neither a disk nor a standby. After a crash or a failover, the table is empty.
    postgres: [
      (schema) => `
        CREATE UNLOGGED TABLE ${schema}.rate_limit_counts (
          key text PRIMARY KEY,
          count integer NOT NULL,
          expires_at timestamptz NOT NULL
        );
        CREATE INDEX rate_limit_counts_by_expiry ON ${schema}.rate_limit_counts (expires_at)`,
    ],
  },
};

// Requests wait for their count.
const TIMEOUT_MS = 1_000;

/**
 * Opens a counter with one connection. Events that arrive together, or while others are being counted, share a statement.
 *
 * @throws {DatabaseUnavailable} when no host can be used within the time, or the table cannot be created
 */
export async function openPostgresCounter(
  location: PostgresLocation,
  { name, windowSeconds }: CounterOptions,
  { timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): Promise<Counter> {
  const settings = createSettings(identifierOf(counterTables.name), TIMEOUT_MS, 'write');
  const connector = connectorsFor(location, counterTables, timeoutMs)(settings.prepare);
  const session = await connectWithin(connector, timeoutMs);
  let schema: string;
  try {
    schema = await migrate(session, counterTables, timeoutMs);
  } catch (error) {
    session.destroy();
    throw explain(location, error);
  }
  const health = createHealth(log, 'used for rate limits');
  const run = createCount(schema, windowSeconds);
  const worker = new PostgresWorker({ connector, run, timeoutMs: TIMEOUT_MS, onFailed: health.failed, session });
  const queue = new BatchQueue<string, Count>({
    workers: [worker],
    sizeOf: () => ITEM_BYTES,
    isAlone: () => false,
    queueLimitBytes,
    timeoutMs: TIMEOUT_MS,
    health,
  });
  return {
    // Hashed, a key of any length and of any characters fits into the index.
    add: (key) => queue.add(hash('sha256', `${name} ${key}`, 'base64url')),
    async close() {
      await queue.drain();
      await worker.close();
    },
  };
}

/** Creates the statement that counts events, and removes more counts whose window is over than it can add. */
function createCount(schema: string, windowSeconds: number): BatchStatement<string, Count> {
  const table = `${schema}.rate_limit_counts`;
  const COUNT = `
    WITH removed AS (
      DELETE FROM ${table} WHERE key IN (
        SELECT key FROM ${table} WHERE expires_at <= now() AND key <> ALL($1::text[])
        ORDER BY expires_at LIMIT 2 * cardinality($1::text[]) FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO ${table} AS known (key, count, expires_at)
    SELECT key, count, now() + '${String(windowSeconds)} s'::interval
    FROM unnest($1::text[], $2::integer[]) AS new (key, count)
    ON CONFLICT (key) DO UPDATE SET
      count = excluded.count + CASE WHEN known.expires_at > now() THEN known.count ELSE 0 END,
      expires_at = CASE WHEN known.expires_at > now() THEN known.expires_at ELSE excluded.expires_at END
    RETURNING key, count, ceil(extract(epoch FROM expires_at - now()) * 1000) AS remaining_ms`;

  return async (session, keys, limitMs) => {
    const added = new Map<string, number>();
    for (const key of keys.toSorted()) added.set(key, (added.get(key) ?? 0) + 1); // Sorted, so that no two deadlock.
    const rows = await session.query(COUNT, [[...added.keys()], [...added.values()]], limitMs, 'count');
    const counts = new Map(
      rows.map(({ key, count, remaining_ms }) => [
        key ?? '',
        { count: Number(count) - (added.get(key ?? '') ?? 0), remainingMs: Number(remaining_ms) },
      ]),
    );
    return keys.map((key) => {
      const total = counts.get(key);
      if (total === undefined) throw new Dropped('the database has dropped the count');
      total.count += 1;
      return { ...total };
    });
  };
}
