import { isIPv6 } from 'node:net';

/** Where a PostgreSQL database is, and how to get in. */
export type PostgresLocation = {
  readonly engine: 'postgres';
  /** Tried in this order; one of them accepts writes. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** `undefined` stands for the name of the application. */
  readonly applicationName: string | undefined;
  /** How long a login may take at one host; `undefined` stands for the caller's default. */
  readonly connectTimeoutMs: number | undefined;
  readonly tls: PostgresTls;
};

export type PostgresHost = {
  /** A name, an address, or, with a slash at its beginning, the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
};

export type PostgresTls = {
  readonly mode: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** A file with the certificates to trust, or `system` for those of the machine. The server is verified when it is given. */
  readonly rootCertificate: string | undefined;
  /** The client certificate and its key: two files, or neither. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
};

/** A location as it may be shown and logged: without password. */
export function describePostgres({ user, hosts, database }: PostgresLocation): string {
  return `postgres://${encodeURIComponent(user)}@${hosts.map(describeHost).join(',')}/${encodeURIComponent(database)}`;
}

export function describeHost({ host, port }: PostgresHost): string {
  return `${isIPv6(host) ? `[${host}]` : host.replaceAll('/', '%2F')}:${String(port)}`;
}
