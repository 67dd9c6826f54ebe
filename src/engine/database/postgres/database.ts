import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { BatchQueue } from '../batch-queue.ts';
import { identifierOf, type Database, type DatabaseOptions, type Definition, type Written } from '../database.ts';
import { createHealth, type Health } from '../health.ts';
import { sizeOfRow, sizeOfStatements } from '../size.ts';
import { compile, type Statement, type Value } from '../sql.ts';
import { createPostgresConnection, pause, type PostgresConnection } from './connection.ts';
import { CannotConnect, connectorsFor, type Connector } from './connector.ts';
import { warnIfUnsafe } from './durability.ts';
import { explain, PoolerSwitched } from './errors.ts';
import { createInsert, type Insert } from './insert.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { migrate } from './migrations.ts';
import { createPostgresReader } from './reader.ts';
import type { Session } from './session.ts';
import { createSettings } from './settings.ts';
import { createPostgresWorker } from './worker.ts';
import { writeInTransaction } from './write.ts';

// A waiting row also holds the request that brought it.
const WAITING_BYTES = 500;

/** A row, or the statements of a transaction; without any, it is a check. */
type Change<Row> = Insert<Row> | readonly Statement[];
type ChangeResult = boolean | readonly Written[];

/**
 * Opens a PostgreSQL database, creating the tables when they are missing.
 *
 * @throws {DatabaseUnavailable} when no host can be used within the time, or the database is not for this application
 */
export async function openPostgresDatabase<Row extends Readonly<Record<string, Value>>>(
  location: PostgresLocation,
  definition: Definition<Row>,
  options: DatabaseOptions,
): Promise<Database<Row>> {
  const { poolSize, timeoutMs, queueLimitBytes, onCommit, log } = options;
  const connect = connectorsFor(location, definition, timeoutMs);
  const name = identifierOf(definition.name);
  const settings = createSettings(name, timeoutMs, 'write');
  const connector = connect(settings.prepare);
  const session = await connectWithin(connector, timeoutMs);
  const description = describePostgres(location);
  let schema: string;
  try {
    schema = await migrate(session, definition, description, timeoutMs);
    await warnIfUnsafe(session, log, timeoutMs);
  } catch (error) {
    session.destroy();
    throw explain(description, error);
  }

  const health = reportSwitch(createHealth(log), log);
  const guard = settings.inForce;
  const { insert, waitForStandby } = createInsert(definition, schema, guard);
  // The worker that comes last is used first.
  const connections = Array.from({ length: poolSize }, (_, index) =>
    createPostgresConnection(connector, health.failed, index === poolSize - 1 ? session : undefined),
  );
  const commits = new BatchQueue<Change<Row>, ChangeResult>({
    workers: connections.map((connection) => createPostgresWorker(connection, commit, timeoutMs)),
    sizeOf: (change) => WAITING_BYTES + ('row' in change ? sizeOfRow(change.row) : sizeOfStatements(change)),
    isAlone: (change) => !('row' in change),
    queueLimitBytes,
    timeoutMs,
    health,
    onBatch(changes, durationMs) {
      const count = changes.filter((change) => 'row' in change || change.length > 0).length;
      if (count > 0) onCommit?.(count, durationMs);
    },
  });
  const readers = connect(createSettings(name, timeoutMs, 'read').prepare);
  const reader = createPostgresReader({ readers, streams: connect(), description, schema }, options);

  // The result of a row is a boolean, and that of statements is a list.
  return {
    ...reader,
    insert: (row, key = randomUUID()) => commits.add({ key, row }) as Promise<boolean>,
    write: (...statements) =>
      commits.add(statements.map((query) => compile(query, { engine: 'postgres', schema }))) as Promise<
        readonly Written[]
      >,
    async check() {
      await commits.add([]);
    },
    async close() {
      await Promise.all([commits.drain(), reader.close()]);
      await Promise.all(connections.map(({ close }) => close()));
    },
  };

  /** @param changes are rows, or one transaction, which has a batch of its own */
  async function commit(
    connection: PostgresConnection,
    changes: readonly Change<Row>[],
    limitMs: number,
  ): Promise<readonly ChangeResult[]> {
    const [first = []] = changes;
    if ('row' in first) return insert(connection, changes as readonly Insert<Row>[], limitMs);
    if (first.length === 0) {
      await insert(connection, [], limitMs);
      return [[]];
    }
    return [await writeInTransaction(connection, first, { guard, waitForStandby, limitMs })];
  }
}

async function connectWithin(connector: Connector, timeoutMs: number): Promise<Session> {
  const { signal } = new AbortController(); // A database that is not open yet cannot be closed.
  const startedAt = performance.now();
  for (;;) {
    try {
      return await connector.connect(signal);
    } catch (error) {
      const mayPass = error instanceof CannotConnect && !error.isFinal;
      if (!mayPass || performance.now() - startedAt >= timeoutMs) throw error;
      await pause(signal);
    }
  }
}

/** Logs once that sessions were switched: as long as other connections work, `health` logs nothing. */
function reportSwitch(health: Health, log: Logger): Health {
  let isReported = false;
  return {
    worked: health.worked,
    failed(error) {
      if (error instanceof PoolerSwitched && !isReported) {
        isReported = true;
        log.error(`writes were refused: ${error.message}`);
      }
      health.failed(error);
    },
  };
}
