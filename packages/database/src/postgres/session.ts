import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Client, type ClientConfig, DatabaseError, escapeIdentifier, type QueryConfig } from 'pg';
import type { Value } from '../sql.ts';

/** One connection to one server, logged in, until it is lost. Losing it emits no error. */
export type Session = {
  /**
   * Runs one statement. A value that comes back is PostgreSQL's text for it.
   *
   * @param limitMs how long the answer may take; the connection is given up then. Without a limit, it is given up when the
   *   server no longer answers logins
   * @param name under which the server keeps the statement prepared, for the next time
   * @throws {DatabaseError} when the server refuses the statement
   * @throws {SessionLost} when the connection is lost; the statement may have been carried out
   */
  readonly query: (
    text: string,
    values?: readonly unknown[],
    limitMs?: number,
    name?: string,
  ) => Promise<readonly Row[]>;
  /** Runs one statement of an application, as `query` does. Its values are those of both databases. */
  readonly run: (text: string, values: readonly Value[], limitMs?: number) => Promise<Result>;
  /** The server process, as it was named at the login; a connection pooler makes a number up. */
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
  /** An address or the folder of a Unix socket, not a name: the connector tries the addresses of a name one by one. */
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
/** The connection is gone, and with it the answer. */
export class SessionLost extends Error {}
/** Login timed out. */
export class LoginTimeout extends Error {}
export class PasswordMissing extends Error {}
/** There is a server, but no TLS with it. */
export class TlsFailed extends Error {}

// After the delay, Node probes a silent peer ten times, a second apart.
const KEEP_ALIVE_DELAY_MS = 10_000;
const GOODBYE_MS = 1_000;
// A server under load may miss one.
const LOGINS_MISSED_MAX = 2;

/**
 * Connects and logs in, once.
 *
 * @throws {DatabaseError | LoginTimeout | PasswordMissing | TlsFailed} when it fails in these ways
 * @throws {Error} with the `code` of a system call, or none
 */
export async function openSession(login: Login, signal: AbortSignal): Promise<Session> {
  const client = new Client(clientConfig(login));
  const session = createSession(client, login);
  const seen = { isTlsPending: false, isTimeUp: false };
  client.connection.once('connect', () => (seen.isTlsPending = login.tls !== undefined));
  client.connection.once('sslconnect', () => {
    // From here on the stream is the TLS socket.
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

function clientConfig({ address, port, user, password, database, applicationName, tls }: Login): ClientConfig {
  return {
    host: address,
    port,
    user,
    // A function: without a password, pg would search the environment and files.
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
    // As libpq does by default: prevents relaying the login.
    enableChannelBinding: tls !== undefined,
    types: { getTypeParser: () => (text: string) => text },
  };
}

/** Resolves once the server has missed logins in a row: a frozen one does, while its kernel keeps the connections. */
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
    return error instanceof DatabaseError; // It has too many connections, say.
  }
}

function createSession(client: Client, login: Login): Session {
  let lost = false;
  const isLost = (): boolean => lost;
  const destroy = (): void => {
    lost = true;
    client.connection.stream.destroy();
  };
  // Without a listener, an error of an idle connection would be an uncaught exception.
  client.on('error', destroy).on('end', destroy);
  let processId: string | undefined;
  client.connection.once('backendKeyData', (message: { readonly processID: number }) => {
    processId = String(message.processID);
  });
  // When a commit's wait for its standby is cancelled, PostgreSQL reports success with a warning.
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
      // In this mode, the server refuses several statements in one text, as it does with values.
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
    if (isLost()) throw new SessionLost('there is no connection to the database');
    const timer = limitMs === undefined ? undefined : setTimeout(destroy, limitMs);
    const watch = limitMs === undefined ? new AbortController() : undefined;
    if (watch !== undefined) void untilUnresponsive(login, watch.signal).then(destroy, () => undefined);
    try {
      const result = await client.query<Row>(query);
      if (!isUnreplicated) return result;
      destroy();
      throw new SessionLost('the wait for the standby was cancelled');
    } catch (error) {
      // The context may repeat the values, which must not be logged.
      if (error instanceof DatabaseError) throw Object.assign(error, { detail: undefined, where: undefined });
      if (!isLost()) throw error;
      throw new SessionLost('the connection to the database was lost', { cause: error });
    } finally {
      clearTimeout(timer);
      watch?.abort();
    }
  }
}

// Types of PostgreSQL by their OID, as in pg_type.
const [BOOL, BYTEA, INT8, INT2, INT4, OID, FLOAT4, FLOAT8] = [16, 17, 20, 21, 23, 26, 700, 701];
const TEXT_FORMAT_PREFIX = String.raw`\x`;

/** Returns the parser of a type: it yields the same value as SQLite. Other types stay text. */
function parserOf(typeOid: number): (text: string) => Value {
  switch (typeOid) {
    case INT2:
    case INT4:
    case INT8:
    case OID:
      return BigInt;
    case FLOAT4:
    case FLOAT8:
      return Number;
    case BOOL:
      return (text) => (text === 't' ? 1n : 0n);
    case BYTEA:
      return (text) => new Uint8Array(Buffer.from(text.slice(TEXT_FORMAT_PREFIX.length), 'hex'));
    default:
      return (text) => text;
  }
}
