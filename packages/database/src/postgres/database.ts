import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createCommits, isInsert, isTransaction, type Change, type ChangeResult, type Insert } from '../commits.ts';
import {
  identifierOf,
  type BatchDefinition,
  type Database,
  type DatabaseOptions,
  type Definition,
  type Written,
} from '../database.ts';
import { createHealth, type Health } from '../health.ts';
import type { Value } from '../sql.ts';
import { doWork, type RunStatement } from '../transaction.ts';
import { CannotConnect, connectorsFor, type Connector } from './connector.ts';
import { waitForStandby, warnIfUnsafe } from './durability.ts';
import { explain, PoolerSwitched, recoveryFor } from './errors.ts';
import { createInsert } from './insert.ts';
import type { PostgresLocation } from './location.ts';
import { migrate } from './migrations.ts';
import { createPostgresReader } from './reader.ts';
import type { Session } from './session.ts';
import { createSettings } from './settings.ts';
import { pause, PostgresWorker } from './worker.ts';
import { inTransaction } from './write.ts';

/**
 * Opens a PostgreSQL database, creating the tables when they are missing.
 *
 * @throws {DatabaseUnavailable} when no host can be used within the time, or the database is not for this application
 */
export async function openPostgresDatabase<Row extends Readonly<Record<string, Value>>>(
  location: PostgresLocation,
  definition: Definition | BatchDefinition<Row>,
  options: DatabaseOptions,
): Promise<Database> {
  const { poolSize, timeoutMs, log } = options;
  const connect = connectorsFor(location, definition, timeoutMs);
  const name = identifierOf(definition.name);
  const settings = createSettings(name, timeoutMs, 'write');
  const connector = connect(settings.prepare);
  const session = await connectWithin(connector, timeoutMs);
  let schema: string;
  try {
    schema = await migrate(session, definition, timeoutMs);
    await warnIfUnsafe(session, log, timeoutMs);
  } catch (error) {
    session.destroy();
    throw explain(location, error);
  }

  const health = reportSwitch(createHealth(log), log);
  const durability = { guard: settings.inForce, name };
  const insert = 'insert' in definition ? createInsert(definition.insert, schema, durability) : undefined;
  const workers = Array.from({ length: poolSize }, (_, index) => {
    // The worker that comes last is used first.
    const open = index === poolSize - 1 ? session : undefined;
    return new PostgresWorker({ connector, run: commit, timeoutMs, onFailed: health.failed, session: open });
  });
  const { drain, ...commits } = createCommits(
    definition,
    {
      workers,
      dialect: { engine: 'postgres', schema },
      health,
      isAlone: (change) => !isInsert(change),
      newKey: randomUUID,
    },
    options,
  );
  const readers = connect(createSettings(name, timeoutMs, 'read').prepare);
  const reader = createPostgresReader({ readers, streams: connect(), location, schema }, options);

  return {
    ...reader,
    ...commits,
    async close() {
      await Promise.all([drain(), reader.close()]);
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };

  /** @param changes are rows, or one change of another kind, which has a batch of its own */
  async function commit(
    session: Session,
    changes: readonly Change[],
    limitMs: number,
  ): Promise<readonly ChangeResult[]> {
    const [first] = changes;
    if (first === 'check') {
      // As a batch would be inserted, but of no rows.
      await (insert === undefined ? waitForStandby(session, durability, limitMs) : insert(session, [], limitMs));
      return [true];
    }
    if (isTransaction(first)) {
      const { work } = first;
      const isOfDatabase = (error: Error): boolean => ['retry', 'wait'].includes(recoveryFor(error) ?? '');
      const runWork = (run: RunStatement): Promise<unknown> => doWork(work, { run, isOfDatabase, limitMs: timeoutMs });
      const options = { isolation: 'SERIALIZABLE', durability, limitMs } as const;
      return [{ value: await inTransaction(session, runWork, options) }];
    }
    if (first !== undefined && 'statements' in first) {
      const { statements } = first;
      const runAll = async (run: RunStatement): Promise<readonly Written[]> => {
        const written: Written[] = [];
        for (const statement of statements) written.push(await run(statement, 'write'));
        return written;
      };
      return [await inTransaction(session, runAll, { isolation: 'READ COMMITTED', durability, limitMs })];
    }
    if (insert === undefined) throw new Error('the definition has no insert');
    return insert(session, changes as readonly Insert[], limitMs);
  }
}

/** Connects, again and again until the time is up. @throws {DatabaseUnavailable} when no host can be used */
export async function connectWithin(connector: Connector, timeoutMs: number): Promise<Session> {
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
