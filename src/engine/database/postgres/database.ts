import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createGroupCommit } from '../group-commit.ts';
import { createHealth, type Health } from '../health.ts';
import type { DatabaseOptions } from '../database.ts';
import type { PlantStore } from '../../../plants/plant-store.ts';
import { toText } from '../../../plants/plant-text.ts';
import { createPostgresConnection, pause } from './connection.ts';
import { CannotConnect, createConnector, type Connector } from './connector.ts';
import { warnIfUnsafe } from './durability.ts';
import { explain, PoolerSwitched } from './errors.ts';
import { createInsert, type Item } from './insert.ts';
import { createPostgresWorker } from './worker.ts';
import { describePostgres, type PostgresLocation } from './location.ts';
import { migrate } from './migrations.ts';
import type { Session } from './session.ts';
import { createSettings } from './settings.ts';

const ITEM_OVERHEAD_BYTES = 500;

/**
 * Opens a store in a PostgreSQL database, creating the tables when they are missing.
 *
 * @throws {DatabaseUnavailable} when no host can be used within the time, or the database is not for this service
 */
export async function openPostgresStore(location: PostgresLocation, options: DatabaseOptions): Promise<PlantStore> {
  const { poolSize, timeoutMs, queueLimitBytes, onCommit, log } = options;
  const settings = createSettings(timeoutMs);
  const connector = createConnector(location, {
    hostTimeoutMs: Math.min(location.connectTimeoutMs ?? timeoutMs, Math.ceil(timeoutMs / location.hosts.length)),
    prepare: settings.prepare,
  });
  const session = await connectWithin(connector, timeoutMs);
  const description = describePostgres(location);
  let schema: string;
  try {
    schema = await migrate(session, description, timeoutMs);
    await warnIfUnsafe(session, log, timeoutMs);
  } catch (error) {
    session.destroy();
    throw explain(description, error);
  }

  const health = reportSwitch(createHealth(log), log);
  const insert = createInsert(schema, settings.inForce);
  // The worker that comes last is used first.
  const connections = Array.from({ length: poolSize }, (_, index) =>
    createPostgresConnection(connector, health.failed, index === poolSize - 1 ? session : undefined),
  );
  const commits = createGroupCommit<Item, boolean>({
    workers: connections.map((connection) => createPostgresWorker(connection, insert, timeoutMs)),
    sizeOf: ({ plant }) => 2 * plant.length + ITEM_OVERHEAD_BYTES,
    queueLimitBytes,
    timeoutMs,
    health,
    onCommit,
  });

  return {
    add: (plant, key = randomUUID()) => commits.add({ key, id: String(plant.id), plant: toText(plant) }),
    check: commits.check,
    async close() {
      await commits.drain();
      await Promise.all(connections.map(({ close }) => close()));
    },
  };
}

async function connectWithin(connector: Connector, timeoutMs: number): Promise<Session> {
  const { signal } = new AbortController(); // Nobody can close what is not open yet.
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

/** Logs once that sessions were switched: as long as other connections work, `health` says nothing. */
function reportSwitch(health: Health, log: Logger): Health {
  let isReported = false;
  return {
    worked: health.worked,
    failed(error) {
      if (error instanceof PoolerSwitched && !isReported) {
        isReported = true;
        log.error(`plants were refused: ${error.message}`);
      }
      health.failed(error);
    },
  };
}
