import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommitFailed, createGroupCommit, type Lane } from './group-commit.ts';
import { createHealth } from './health.ts';
import type { PlantStore, StoreOptions } from './plant-store.ts';
import { createPostgresConnection, pause, type PostgresConnection } from './postgres-connection.ts';
import { CannotConnect, createConnector, type Connector } from './postgres-connector.ts';
import { explain, isConflict, remedyFor } from './postgres-errors.ts';
import { insertPlants, type Item } from './postgres-insert.ts';
import { describePostgres, type PostgresLocation } from './postgres-location.ts';
import { migrate } from './postgres-schema.ts';
import type { Session } from './postgres-session.ts';

// By then, the server has ended the statement itself, if it is still there.
const ANSWER_GRACE_MS = 1_000;
const RETRY_PAUSE_MS = 20;
const CONFLICTS_MAX = 20;
const ITEM_OVERHEAD_BYTES = 500;

/**
 * Opens a store in a PostgreSQL database, creating the tables when they are missing.
 *
 * @throws {StoreUnavailable} when no host can be used within the time, or the database is not for this service
 */
export async function openPostgresStore(location: PostgresLocation, options: StoreOptions): Promise<PlantStore> {
  const { poolSize, timeoutMs, queueLimitBytes, onCommit, log } = options;
  const connector = createConnector(location, {
    hostTimeoutMs: Math.min(location.connectTimeoutMs ?? timeoutMs, Math.ceil(timeoutMs / location.hosts.length)),
    statementTimeoutMs: timeoutMs,
  });
  const session = await connectWithin(connector, timeoutMs);
  const description = describePostgres(location);
  try {
    await migrate(session, description, timeoutMs);
  } catch (error) {
    session.destroy();
    throw explain(description, error);
  }

  const health = createHealth(log);
  // The lane that comes last is used first.
  const connections = Array.from({ length: poolSize }, (_, index) =>
    createPostgresConnection(connector, health.failed, index === poolSize - 1 ? session : undefined),
  );
  const commits = createGroupCommit<Item>({
    lanes: connections.map((connection) => createLane(connection, timeoutMs + ANSWER_GRACE_MS)),
    sizeOf: ({ plant }) => 2 * plant.length + ITEM_OVERHEAD_BYTES,
    queueLimitBytes,
    timeoutMs,
    health,
    onCommit,
  });

  return {
    add: ({ id, ...plant }, key = randomUUID()) => commits.add({ key, id: String(id), plant: JSON.stringify(plant) }),
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

function createLane(connection: PostgresConnection, limitMs: number): Lane<Item> {
  return {
    ready: connection.ready,
    async commit(items) {
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await insertPlants(connection, items, limitMs);
        } catch (error) {
          const remedy = remedyFor(error);
          if (remedy === undefined || !(error instanceof Error)) {
            connection.reset(); // Nobody knows what state a bug has left it in.
            throw error;
          }
          // Those that were in each other's way do not come again at the same moment.
          if (remedy === 'retry') await sleep(RETRY_PAUSE_MS * Math.random());
          // Between transactions of a healthy database that is nothing to tell anybody.
          if (isConflict(error) && attempts < CONFLICTS_MAX) continue;
          if (remedy === 'retry') connection.reset();
          throw new CommitFailed(remedy, error);
        }
      }
    },
  };
}
