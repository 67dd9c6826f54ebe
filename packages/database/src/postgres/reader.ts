import { BatchQueue } from '../batch-queue.ts';
import { DatabaseUnavailable, type DatabaseOptions, type DatabaseReader, type Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import { ITEM_BYTES, sizeOfStatement } from '../statement-size.ts';
import { compile, NOT_A_READ, type Query, type Statement } from '../sql.ts';
import { limitStreams } from '../streams.ts';
import { connectorsFor, type Connector } from './connector.ts';
import { explain, READ_ONLY_TRANSACTION, sqlStateOf } from './errors.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { readVersion } from './migrations.ts';
import { findSchema } from './schema.ts';
import type { Session } from './session.ts';
import { streamPages } from './stream.ts';
import { PostgresWorker } from './worker.ts';
import { runStatement } from './write.ts';

export type ReaderParts = {
  /** Opens the connections of `read`, and sets the time limit of queries. */
  readonly readers: Connector;
  /** Opens a connection for each stream. */
  readonly streams: Connector;
  readonly location: PostgresLocation;
  /** The schema of the tables, quoted. */
  readonly schema: string;
};

/**
 * Opens a PostgreSQL database for reading only. Changes no session settings, so a pooler may share its sessions.
 *
 * @throws {DatabaseUnavailable} when the database cannot be used or does not have the application's tables
 */
export async function openPostgresReader(
  location: PostgresLocation,
  definition: Definition,
  options: DatabaseOptions,
): Promise<DatabaseReader> {
  const connector = connectorsFor(location, definition, options.timeoutMs)();
  const session = await connector.connect(new AbortController().signal);
  try {
    const { schema, exists } = await findSchema(session, definition);
    if (!exists || (await readVersion(session, definition, schema)) === 0) {
      throw new DatabaseUnavailable(`there is no ${definition.name} in ${describePostgres(location)}`);
    }
    return createPostgresReader({ readers: connector, streams: connector, location, schema }, options);
  } catch (error) {
    throw explain(location, error);
  } finally {
    await session.close();
  }
}

/** Creates the reading functions of a PostgreSQL database. Opens connections on demand. */
export function createPostgresReader(
  { readers, streams, location, schema }: ReaderParts,
  { poolSize, timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): DatabaseReader {
  const health = createHealth(log, 'read');
  const dialect = { engine: 'postgres', schema } as const;
  const closed = new AbortController();
  const workers = Array.from(
    { length: poolSize },
    () => new PostgresWorker({ connector: readers, run: readAll, timeoutMs, onFailed: health.failed }),
  );
  const reads = new BatchQueue<Statement, readonly unknown[]>({
    workers,
    sizeOf: (query) => ITEM_BYTES + sizeOfStatement(query),
    isAlone: () => true,
    queueLimitBytes,
    timeoutMs,
    health,
  });
  return {
    read: async <Row>(query: Query<Row>) => (await reads.add(compile(query, dialect))) as readonly Row[],
    stream: limitStreams(poolSize, timeoutMs, (query, slot) =>
      streamPages(streams, location, compile(query, dialect), closed.signal, slot),
    ),
    async close() {
      closed.abort();
      await reads.drain();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

async function readAll(
  session: Session,
  queries: readonly Statement[],
  limitMs: number,
): Promise<readonly (readonly unknown[])[]> {
  return Promise.all(
    queries.map(async (query) => {
      try {
        return (await runStatement(session, query, limitMs)).rows;
      } catch (error) {
        // The session is read-only, not the server.
        throw sqlStateOf(error) === READ_ONLY_TRANSACTION ? new Error(NOT_A_READ, { cause: error }) : error;
      }
    }),
  );
}
