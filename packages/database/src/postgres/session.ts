import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig, DatabaseError, escapeIdentifier, type QueryConfig } from 'pg';
import type { Value } from '../sql.ts';

/** A logged-in connection to a server. Losing the connection emits no error event. */
export type Session = {
  /**
   * Runs one statement. Returned values are in PostgreSQL's text format.
   *
   * @param limitMs the time limit, after which the connection is closed. Without a limit, the connection is closed when
   *   the server no longer answers logins
   * @param name the name of the prepared statement, which the server reuses
   * @throws {DatabaseError} when the server rejects the statement
   * @throws {SessionLost} when the connection is lost; the statement may have been executed
   */
  readonly query: (
    text: string,
    values?: readonly unknown[],
    limitMs?: number,
    name?: string,
  ) => Promise<readonly Row[]>;
  /** Runs one statement of an application like `query`, but converts values to the types shared with SQLite. */
  readonly run: (text: string, values: readonly Value[], limitMs?: number) => Promise<Result>;
  /** Returns the process id that the server reported at login. A connection pooler reports a made-up number. */
  readonly processId: () => string | undefined;
  readonly isLost: () => boolean;
  /** Closes gracefully, within GOODBYE_MS. */
  readonly close: () => Promise<void>;
  /** Drops the connection at once. */
  readonly destroy: () => void;
};

export type Row = Readonly<Record<string, string | null>>;

export type Result = { readonly rows: readonly Readonly<Record<string, Value>>[]; readonly count: number };

export type Login = {
  /** An address or the folder of a Unix socket, not a name: the connector resolves names and tries each address. */
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly applicationName: string;
  readonly tls: ConnectionOptions | undefined;
  readonly timeoutMs: number;
};

export { DatabaseError, escapeIdentifier };
/** The connection was lost before the result arrived. */
export class SessionLost extends Error {}
/** Login timed out. */
export class LoginTimeout extends Error {}
export class PasswordMissing extends Error {}
/** The server is reachable, but TLS failed. */
export class TlsFailed extends Error {}

// After this delay, Node probes a silent peer ten times, a second apart.
const KEEP_ALIVE_DELAY_MS = 10_000;
const GOODBYE_MS = 1_000;
// A server under load may miss one login.
const LOGINS_MISSED_MAX = 2;

/**
 * Connects and logs in, without retries.
 *
 * @throws {DatabaseError | LoginTimeout | PasswordMissing | TlsFailed}
 * @throws {Error} for other failures, with the `code` of a system call if there is one
 */
export async function openSession(login: Login, signal: AbortSignal): Promise<Session> {
  const client = new Client(clientConfig(login));
  const session = createSession(client, login);
  const seen = { isTlsPending: false, isTimeUp: false };
  client.connection.once('connect', () => (seen.isTlsPending = login.tls !== undefined));
  client.connection.once('sslconnect', () => {
    // `stream` is now the TLS socket.
    client.connection.stream.once('secureConnect', () => (seen.isTlsPending = false));
  });
  const timer = setTimeout(() => {
    seen.isTimeUp = true;
    session.destroy();
  }, login.timeoutMs);
  signal.addEventListener('abort', session.destroy);
  try {
    signal.throwIfAborted();
    await client.connect();
    return session;
  } catch (error) {
    session.destroy();
    if (seen.isTimeUp) throw new LoginTimeout(`no login within ${String(login.timeoutMs)} ms`, { cause: error });
    if (seen.isTlsPending) throw new TlsFailed('no TLS', { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', session.destroy);
  }
}

/** Whether a server rejects writes outside of an open transaction: it is a standby, or configured so. */
export async function isReadOnly(session: Session, limitMs: number): Promise<boolean> {
  const [row] = await session.query("SELECT current_setting('transaction_read_only') AS read_only", [], limitMs);
  return row?.['read_only'] === 'on';
}

function clientConfig({ address, port, user, password, database, applicationName, tls }: Login): ClientConfig {
  return {
    host: address,
    port,
    user,
    // A function, since pg would search the environment and files for a missing password.
    password: () => {
      if (password === undefined) throw new PasswordMissing('the server asks for a password');
      return password;
    },
    database,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    ssl: tls ?? false,
    sslnegotiation: 'postgres',
    // libpq's default: prevents relaying the login.
    enableChannelBinding: tls !== undefined,
    types: { getTypeParser: () => (text: string) => text },
  };
}

/**
 * Resolves once the server missed several logins in a row. The kernel of a frozen server keeps its connections open.
 */
async function untilUnresponsive(login: Login, signal: AbortSignal): Promise<void> {
  for (let missed = 0; missed < LOGINS_MISSED_MAX;) {
    await sleep(login.timeoutMs, undefined, { signal });
    missed = (await answersLogin(login, signal)) ? 0 : missed + 1;
  }
}

async function answersLogin(login: Login, signal: AbortSignal): Promise<boolean> {
  try {
    (await openSession(login, signal)).destroy();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof DatabaseError; // For example, too many connections.
  }
}

function createSession(client: Client, login: Login): Session {
  let lost = false;
  const isLost = (): boolean => lost;
  const destroy = (): void => {
    lost = true;
    client.connection.stream.destroy();
  };
  // Without a listener, an error on an idle connection would be an uncaught exception.
  client.on('error', destroy).on('end', destroy);
  let processId: string | undefined;
  client.connection.once('backendKeyData', (message: { readonly processID: number }) => {
    processId = String(message.processID);
  });
  // When a commit's wait for the standby is cancelled, PostgreSQL reports success with a warning.
  let isUnreplicated = false;
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') isUnreplicated = true;
  });

  return {
    async query(text, values = [], limitMs, name) {
      const prepared = name === undefined ? {} : { name };
      return (await execute<Row>({ text, values: [...values], ...prepared }, limitMs)).rows;
    },
    async run(text, values, limitMs) {
      // In extended mode, the server rejects several statements in one text, even without values.
      const query = { text, values: [...values], types: { getTypeParser: parserOf }, queryMode: 'extended' };
      const { rows, rowCount } = await execute<Result['rows'][number]>(query, limitMs);
      return { rows, count: rowCount ?? 0 };
    },
    processId: () => processId,
    isLost,
    async close() {
      const timer = setTimeout(destroy, GOODBYE_MS);
      await client.end();
      clearTimeout(timer);
      lost = true;
    },
    destroy,
  };

  async function execute<Row extends object>(query: QueryConfig, limitMs: number | undefined) {
    if (isLost()) throw new SessionLost('the connection to the database is lost');
    const timer = limitMs === undefined ? undefined : setTimeout(destroy, limitMs);
    const watch = limitMs === undefined ? new AbortController() : undefined;
    if (watch !== undefined) void untilUnresponsive(login, watch.signal).then(destroy, () => undefined);
    try {
      const result = await client.query<Row>(query);
      if (!isUnreplicated) return result;
      destroy();
      throw new SessionLost('the wait for the standby was cancelled');
    } catch (error) {
      // These fields may quote values, which must not be logged.
      if (error instanceof DatabaseError) throw Object.assign(error, { detail: undefined, where: undefined });
      if (!isLost()) throw error;
      throw new SessionLost('the connection to the database was lost', { cause: error });
    } finally {
      clearTimeout(timer);
      watch?.abort();
    }
  }
}

/** PostgreSQL's type OIDs, from pg_type. */
const TYPE = {
  BOOL: 16,
  BYTEA: 17,
  INT8: 20,
  INT2: 21,
  INT4: 23,
  OID: 26,
  FLOAT4: 700,
  FLOAT8: 701,
} as const;
const TEXT_FORMAT_PREFIX = String.raw`\x`;

/** Returns the parser of a type, which returns the same values as SQLite. Other types stay text. */
function parserOf(typeOid: number): (text: string) => Value {
  switch (typeOid) {
    case TYPE.INT2:
    case TYPE.INT4:
    case TYPE.INT8:
    case TYPE.OID:
      return BigInt;
    case TYPE.FLOAT4:
    case TYPE.FLOAT8:
      return Number;
    case TYPE.BOOL:
      return (text) => (text === 't' ? 1n : 0n);
    case TYPE.BYTEA:
      return (text) => new Uint8Array(Buffer.from(text.slice(TEXT_FORMAT_PREFIX.length), 'hex'));
    default:
      return (text) => text;
  }
}
