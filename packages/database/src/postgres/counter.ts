import { hash } from 'node:crypto';
import { BatchQueue } from '../batch-queue.ts';
import {
  identifierOf,
  type Count,
  type SharedCounter,
  type CountKind,
  type CounterOptions,
  type DatabaseOptions,
  type Definition,
} from '../database.ts';
import { createHealth } from '../health.ts';
import { ITEM_BYTES } from '../sql.ts';
import { connectorsFor } from './connector.ts';
import { connectWithin } from './database.ts';
import { Dropped, toOperatorError } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import { migrate } from './migrations.ts';
import type { Row } from './session.ts';
import { createSettings } from './session-settings.ts';
import { PostgresWorker, type BatchStatement } from './worker.ts';

const counterTables: Definition = {
  name: 'rate limit',
  tag: 'rate',
  tables: ['rate_limit_counts'],
  migrations: {
    sqlite: [],
    // An unlogged table: commits wait for neither the disk nor a standby. The table is empty after a crash or a
    // failover.
    postgres: [
      (schema) => `
        CREATE UNLOGGED TABLE ${schema}.rate_limit_counts (
          key text PRIMARY KEY,
          count integer NOT NULL,
          expires_at timestamptz NOT NULL
        );
        CREATE INDEX rate_limit_counts_by_expiry ON ${schema}.rate_limit_counts (expires_at)`,
      (schema) => `
        ALTER TABLE ${schema}.rate_limit_counts ADD COLUMN kind text NOT NULL DEFAULT 'address';
        CREATE INDEX rate_limit_counts_by_kind ON ${schema}.rate_limit_counts (kind, expires_at);
        DROP INDEX ${schema}.rate_limit_counts_by_expiry`,
    ],
  },
};

// Short, since each request waits for its count.
const TIMEOUT_MS = 1_000;
const KINDS: readonly CountKind[] = ['caller', 'address'];
// The maximum number of counts of each kind; beyond it, the oldest are removed.
const MAX_COUNTS = 100_000;
// Finding the oldest counts takes 20 ms, so each instance searches only after adding this many.
const MAX_ADDED = 10_000;

type CountedEvent = { readonly key: string; readonly kind: CountKind };

/**
 * Opens a counter with one connection. Events that arrive together, or while other events are being counted, share a
 * statement.
 *
 * @throws {DatabaseUnavailable} when no host can be used within the time limit, or the table cannot be created
 */
export async function openPostgresCounter(
  location: PostgresLocation,
  { name, windowSeconds }: CounterOptions,
  { timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): Promise<SharedCounter> {
  const settings = createSettings(identifierOf(counterTables.name), TIMEOUT_MS, 'write');
  const connector = connectorsFor(location, counterTables, timeoutMs)(settings.prepare);
  const session = await connectWithin(connector, timeoutMs);
  let schema: string;
  try {
    schema = await migrate(session, counterTables, timeoutMs);
  } catch (error) {
    session.destroy();
    throw toOperatorError(location, error);
  }
  const health = createHealth(log, 'used for rate limits');
  const run = createCount(schema, windowSeconds);
  const worker = new PostgresWorker({ connector, run, timeoutMs: TIMEOUT_MS, onFailed: health.failed, session });
  const queue = new BatchQueue<CountedEvent, Count>({
    workers: [worker],
    sizeOf: () => ITEM_BYTES,
    isAlone: () => false,
    queueLimitBytes,
    timeoutMs: TIMEOUT_MS,
    health,
  });
  return {
    // Hashed, since an index entry is limited in size and characters.
    add: (key, kind) => queue.add({ key: hash('sha256', `${name} ${key}`, 'base64url'), kind }),
    async close() {
      await queue.drain();
      await worker.close();
    },
  };
}

/**
 * Creates the statement that counts events. The statement also removes expired counts, and the oldest counts beyond the
 * limit. It can remove more counts than it adds.
 */
function createCount(schema: string, windowSeconds: number): BatchStatement<CountedEvent, Count> {
  const table = `${schema}.rate_limit_counts`;
  const FIND_SURPLUS = `
    SELECT kind, (
      SELECT expires_at FROM ${table} WHERE ${table}.kind = kinds.kind
      ORDER BY expires_at DESC OFFSET ${String(MAX_COUNTS)} LIMIT 1
    ) AS until
    FROM unnest($1::text[]) AS kinds (kind)`;
  const window = `'${String(windowSeconds)} s'::interval`;
  // A window that ends later was created while the server's clock was ahead. The limit is two windows, since now() of
  // concurrent statements may be out of order.
  const isOpen = `known.expires_at > now() AND known.expires_at <= now() + 2 * ${window}`;
  const COUNT = `
    WITH removed AS (
      DELETE FROM ${table} WHERE key IN (
        SELECT old.key FROM unnest($4::text[], $5::timestamptz[]) AS surplus (kind, until), LATERAL (
          SELECT key FROM ${table}
          WHERE ${table}.kind = surplus.kind AND expires_at <= greatest(now(), until) AND key <> ALL($1::text[])
          ORDER BY expires_at LIMIT 2 * cardinality($1::text[]) FOR UPDATE SKIP LOCKED
        ) AS old
      )
    )
    INSERT INTO ${table} AS known (key, kind, count, expires_at)
    SELECT key, kind, count, now() + ${window}
    FROM unnest($1::text[], $2::text[], $3::integer[]) AS new (key, kind, count)
    ON CONFLICT (key) DO UPDATE SET
      count = excluded.count + CASE WHEN ${isOpen} THEN known.count ELSE 0 END,
      expires_at = CASE WHEN ${isOpen} THEN known.expires_at ELSE excluded.expires_at END
    RETURNING key, count, ceil(extract(epoch FROM expires_at - now()) * 1000) AS remaining_ms`;
  let surplus: readonly Row[] = [];
  let added = MAX_ADDED; // Searches for the oldest counts at the start.

  return async (session, events, limitMs) => {
    if (added >= MAX_ADDED) {
      surplus = await session.query(FIND_SURPLUS, [KINDS], limitMs, 'surplus');
      added = 0;
    }
    const batch = new Map<string, { readonly kind: CountKind; count: number }>();
    for (const { key, kind } of events) batch.set(key, { kind, count: (batch.get(key)?.count ?? 0) + 1 });
    const keys = [...batch.keys()].toSorted(); // A fixed lock order prevents deadlocks between instances.
    const values = [
      keys,
      keys.map((key) => batch.get(key)?.kind),
      keys.map((key) => batch.get(key)?.count),
      surplus.map(({ kind }) => kind),
      surplus.map(({ until }) => until),
    ];
    const rows = await session.query(COUNT, values, limitMs, 'count');
    const counts = new Map(
      rows.map(({ key, count, remaining_ms }) => [
        key ?? '',
        { count: Number(count) - (batch.get(key ?? '')?.count ?? 0), remainingMs: Number(remaining_ms) },
      ]),
    );
    added += [...counts.values()].filter(({ count }) => count === 0).length;
    return events.map(({ key }) => {
      const total = counts.get(key);
      if (total === undefined) throw new Dropped('the database has dropped the count');
      total.count += 1;
      return { ...total };
    });
  };
}
