import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import { DatabaseUnavailable, type Definition } from '../database.ts';
import { ReadOnly, reasonOf } from './errors.ts';
import {
  describeHost,
  describePostgres,
  type PostgresHost,
  type PostgresLocation,
  type PostgresTls,
} from './location.ts';
import { isReadOnly, openSession, type Session } from './session.ts';
import type { SessionSettings } from './session-settings.ts';

export type ConnectorOptions = {
  /** The time limit for each host. */
  readonly hostTimeoutMs: number;
  /** The name of the sessions in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Sets up each session. */
  readonly prepare?: SessionSettings['prepare'] | undefined;
};

type TlsOptions = ConnectionOptions | undefined;
type Failure = { readonly host: PostgresHost; readonly error: unknown };

/** No host can be used. */
export class CannotConnect extends DatabaseUnavailable {
  /** Whether a retry is useless until the configuration changes. */
  readonly isFinal: boolean;

  constructor(location: PostgresLocation, failures: readonly Failure[]) {
    const reasons = failures.map(({ host, error }) => ({ host, ...reasonOf(error) }));
    const texts = reasons.map(({ host, text }) => `${describeHost(host)}: ${text}`);
    super(`the database ${describePostgres(location)} cannot be used: ${texts.join('; ')}`, {
      cause: failures.at(-1)?.error,
    });
    this.isFinal = reasons.some(({ isFinal }) => isFinal);
  }
}

/** Finds the server that accepts writes. */
export class Connector {
  readonly #location: PostgresLocation;
  readonly #options: ConnectorOptions;
  #preferred = 0;

  constructor(location: PostgresLocation, options: ConnectorOptions) {
    this.#location = location;
    this.#options = options;
  }

  /**
   * Tries every host once, beginning with the host that worked last.
   *
   * @throws {CannotConnect} when no host can be used
   * @throws {DatabaseUnavailable} when a certificate file cannot be used
   */
  async connect(signal: AbortSignal): Promise<Session> {
    const { hosts, tls } = this.#location;
    const tlsOptions = tls.mode === 'disable' ? undefined : readTlsOptions(tls);
    const failures: Failure[] = [];
    for (const host of [...hosts.slice(this.#preferred), ...hosts.slice(0, this.#preferred)]) {
      try {
        const session = await this.#connectTo(host, tlsOptions, signal);
        this.#preferred = hosts.indexOf(host);
        return session;
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ host, error });
      }
    }
    throw new CannotConnect(this.#location, failures);
  }

  /** Tries every address of a host. Throws the last error. */
  async #connectTo(host: PostgresHost, tlsOptions: TlsOptions, signal: AbortSignal): Promise<Session> {
    let failure: unknown;
    for (const address of await addressesOf(host)) {
      try {
        const open = (): Promise<Session> => this.#logIn(host, address, tlsOptions, signal);
        return await this.#prepare(await open(), open, signal);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #prepare(session: Session, openAnother: () => Promise<Session>, signal: AbortSignal): Promise<Session> {
    const { prepare, hostTimeoutMs } = this.#options;
    signal.addEventListener('abort', session.destroy);
    try {
      signal.throwIfAborted();
      if (await isReadOnly(session, hostTimeoutMs)) throw new ReadOnly('it accepts no writes');
      await prepare?.(session, openAnother, hostTimeoutMs);
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', session.destroy);
    }
  }

  async #logIn(
    { host, port }: PostgresHost,
    address: string,
    tlsOptions: TlsOptions,
    signal: AbortSignal,
  ): Promise<Session> {
    const { hostTimeoutMs: timeoutMs, applicationName } = this.#options;
    // The certificate is for the host name, but the connection is to an address.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    // Like libpq, uses no TLS on Unix sockets.
    const tls = tlsOptions === undefined || address.startsWith('/') ? undefined : { ...tlsOptions, ...servername };
    return openSession({ ...this.#location, applicationName, address, port, timeoutMs, tls }, signal);
  }
}

/** Returns a function that creates connectors for an application, optionally with a function that sets up sessions. */
export function connectorsFor(location: PostgresLocation, { name }: Definition, timeoutMs: number) {
  const hostTimeoutMs = Math.min(location.connectTimeoutMs ?? timeoutMs, Math.ceil(timeoutMs / location.hosts.length));
  const applicationName = location.applicationName ?? name.replaceAll(' ', '-');
  return (prepare?: ConnectorOptions['prepare']) =>
    new Connector(location, { hostTimeoutMs, applicationName, prepare });
}

async function addressesOf({ host }: PostgresHost): Promise<readonly string[]> {
  if (host.startsWith('/') || isIP(host) !== 0) return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * Converts libpq's `sslmode` to Node's TLS options. Reads the files for each connection, so that certificates can be
 * renewed while the service runs.
 *
 * @throws {DatabaseUnavailable} when a file cannot be read or is not a certificate or key
 */
function readTlsOptions({ mode, rootCertificate, certificate, key }: PostgresTls): ConnectionOptions {
  const trusted =
    rootCertificate === undefined || rootCertificate === 'system' ? undefined : read('sslrootcert', rootCertificate);
  const options: ConnectionOptions = {
    // In every mode, libpq verifies the server if and only if a root certificate is configured.
    rejectUnauthorized: rootCertificate !== undefined,
    ...(rootCertificate !== undefined && {
      ca: trusted ?? getCACertificates('system'),
    }),
    ...(certificate !== undefined && { cert: read('sslcert', certificate) }),
    ...(key !== undefined && { key: read('sslkey', key) }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
  try {
    // Node accepts a file without certificates, but would then trust no server.
    if (trusted !== undefined) new X509Certificate(trusted);
    createSecureContext(options);
  } catch (error) {
    throw unusable('the certificates and key of sslrootcert, sslcert and sslkey', error);
  }
  return options;
}

function read(parameter: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unusable(`the file ${path} of ${parameter}`, error);
  }
}

function unusable(part: string, cause: unknown): DatabaseUnavailable {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new DatabaseUnavailable(`DATABASE_URL: ${part} cannot be used (${code})`, { cause });
}
