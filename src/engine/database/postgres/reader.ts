import { BatchQueue } from '../batch-queue.ts';
import { DatabaseUnavailable, type DatabaseOptions, type DatabaseReader, type Definition } from '../database.ts';
import { createHealth } from '../health.ts';
import { compile, type Statement } from '../sql.ts';
import { limitStreams } from '../streams.ts';
import { createPostgresConnection, type PostgresConnection } from './connection.ts';
import { connectorsFor, type Connector } from './connector.ts';
import { explain } from './errors.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { readVersion } from './migrations.ts';
import { findPlace } from './schema.ts';
import { streamRows } from './stream.ts';
import { createPostgresWorker } from './worker.ts';
import { runStatement } from './write.ts';

export type ReaderParts = {
  /** Opens the connections of `read`, and bounds how long the server works on a query. */
  readonly readers: Connector;
  /** Opens a connection for each stream. */
  readonly streams: Connector;
  readonly description: string;
  /** The schema of the tables, quoted. */
  readonly schema: string;
};

const WAITING_BYTES = 1_024;

/**
 * Opens a PostgreSQL database for reading only. It sets nothing in a session, so it may share sessions with others.
 *
 * @throws {DatabaseUnavailable} when the database cannot be used, or the application has no tables in it
 */
export async function openPostgresReader<Row>(
  location: PostgresLocation,
  definition: Definition<Row>,
  options: DatabaseOptions,
): Promise<DatabaseReader> {
  const description = describePostgres(location);
  const connector = connectorsFor(location, definition, options.timeoutMs)();
  const session = await connector.connect(new AbortController().signal);
  try {
    const place = await findPlace(session, definition, description);
    if ((await readVersion(session, definition, place, description)) === 0) {
      throw new DatabaseUnavailable(`there is no ${definition.name} in ${description}`);
    }
    return createPostgresReader({ readers: connector, streams: connector, description, ...place }, options);
  } catch (error) {
    throw explain(description, error);
  } finally {
    await session.close();
  }
}

/** Creates the reading side of a PostgreSQL database. Connections are opened when they are needed. */
export function createPostgresReader(
  { readers, streams, description, schema }: ReaderParts,
  { poolSize, timeoutMs, queueLimitBytes, log }: DatabaseOptions,
): DatabaseReader {
  const health = createHealth(log, 'read');
  const target = { engine: 'postgres', schema } as const;
  const closed = new AbortController();
  const connections = Array.from({ length: poolSize }, () => createPostgresConnection(readers, health.failed));
  const reads = new BatchQueue<Statement, readonly unknown[]>({
    workers: connections.map((connection) => createPostgresWorker(connection, readOne, timeoutMs)),
    sizeOf: ({ text }) => 2 * text.length + WAITING_BYTES,
    isAlone: () => true,
    queueLimitBytes,
    timeoutMs,
    health,
  });
  return {
    async read<Row>(query: Parameters<DatabaseReader['read']>[0]) {
      return (await reads.add(compile(query, target))) as readonly Row[]; // The query declares its row type.
    },
    stream: limitStreams(poolSize, (query) => streamRows(streams, description, compile(query, target), closed.signal)),
    async close() {
      closed.abort();
      await reads.drain();
      await Promise.all(connections.map(({ close }) => close()));
    },
  };
}

async function readOne(
  connection: PostgresConnection,
  queries: readonly Statement[],
  limitMs: number,
): Promise<readonly (readonly unknown[])[]> {
  return Promise.all(
    queries.map(async ({ text, values }) => (await runStatement(connection, text, values, limitMs)).rows),
  );
}
