import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  type ChangeResult,
  type CommittedChange,
  createCommits,
  type Insert,
  isInsert,
  isTransaction,
} from '../commits.ts';
import {
  type BatchDefinition,
  type Database,
  type DatabaseOptions,
  type Definition,
  identifierOf,
  type StatementResult,
} from '../database.ts';
import { createHealth, type Health } from '../health.ts';
import type { Value } from '../sql.ts';
import { runTransactionWork, type RunStatement } from '../transaction.ts';
import { CannotConnect, type Connector, connectorsFor } from './connector.ts';
import { toOperatorError, PoolerSwitched, recoveryFor } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import { migrate } from './migrations.ts';
import { createPostgresReader } from './reader.ts';
import { createSettings } from './session-settings.ts';
import type { Session } from './session.ts';
import { pause, PostgresWorker } from './worker.ts';
import { createInsert, inTransaction, waitForStandby, warnIfUnsafe } from './write.ts';

/**
 * Opens a PostgreSQL database. Creates the tables if they do not exist.
 *
 * @throws {DatabaseUnavailable} when no host can be used within the time limit, or the database belongs to another
 *   program
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
    schema = await migrate(session, definition, timeoutMs, options.once);
    await warnIfUnsafe(session, log, timeoutMs);
  } catch (error) {
    session.destroy();
    throw toOperatorError(location, error);
  }

  const health = reportSwitch(createHealth(log), log);
  const durability = { guard: settings.guard, name };
  const insert = 'insert' in definition ? createInsert(definition.insert, schema, durability) : undefined;
  const workers = Array.from({ length: poolSize }, (_, index) => {
    // The last worker is used first, so it gets the open session.
    const open = index === poolSize - 1 ? session : undefined;
    return new PostgresWorker({ connector, run: commit, timeoutMs, onFailed: health.failed, session: open });
  });
  const readers = connect(createSettings(name, timeoutMs, 'read').prepare);
  const reader = createPostgresReader({ readers, streams: connect(), location, schema }, options);
  const { drain, ...commits } = createCommits(
    definition,
    {
      workers,
      dialect: { engine: 'postgres', schema },
      health,
      isAlone: (change) => !isInsert(change),
      newKey: randomUUID,
      read: reader.read,
    },
    options,
  );
  return {
    ...reader,
    ...commits,
    async close() {
      await Promise.all([drain(), reader.close()]);
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };

  /** Commits a batch. @param changes rows, or a single change of another kind */
  async function commit(
    session: Session,
    changes: readonly CommittedChange[],
    limitMs: number,
  ): Promise<readonly ChangeResult[]> {
    const [first] = changes;
    if (first === 'check') {
      // Inserts an empty batch.
      await (insert === undefined ? waitForStandby(session, durability, limitMs) : insert(session, [], limitMs));
      return [true];
    }
    if (isTransaction(first)) {
      const { work } = first;
      const isDatabaseFailure = (error: Error): boolean => ['retry', 'wait'].includes(recoveryFor(error) ?? '');
      const runWork = (run: RunStatement): Promise<unknown> =>
        runTransactionWork(work, { run, isDatabaseFailure, limitMs: timeoutMs });
      return [{ value: await inTransaction(session, runWork, { isolation: 'SERIALIZABLE', durability, limitMs }) }];
    }
    if (first !== undefined && 'statements' in first) {
      const { statements } = first;
      const runAll = async (run: RunStatement): Promise<readonly StatementResult[]> => {
        const written: StatementResult[] = [];
        for (const statement of statements) written.push(await run(statement, 'write'));
        return written;
      };
      return [await inTransaction(session, runAll, { isolation: 'READ COMMITTED', durability, limitMs })];
    }
    if (insert === undefined) throw new Error('the definition has no insert');
    return insert(session, changes as readonly Insert[], limitMs);
  }
}

/** Connects, with retries until the time limit. @throws {DatabaseUnavailable} when no host can be used */
export async function connectWithin(connector: Connector, timeoutMs: number): Promise<Session> {
  const { signal } = new AbortController(); // Never aborted: a database cannot be closed before it is open.
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

/** Logs once that a pooler switched sessions. While other connections work, `health` logs nothing. */
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
