import { isIPv6 } from 'node:net';

/** The location of a PostgreSQL database, and its credentials. */
export type PostgresLocation = {
  readonly engine: 'postgres';
  /** The hosts in the order in which they are tried. One host accepts writes. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** `undefined` selects the name of the application. */
  readonly applicationName: string | undefined;
  /** The time limit for a login at each host; `undefined` selects the caller's default. */
  readonly connectTimeoutMs: number | undefined;
  readonly tls: PostgresTls;
};

export type PostgresHost = {
  /** A name, an address, or the folder of a Unix socket, which begins with a slash. */
  readonly host: string;
  readonly port: number;
};

export type PostgresTls = {
  readonly mode: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** A file with trusted certificates, or `system` for the machine's certificates. If set, the server is verified. */
  readonly rootCertificate: string | undefined;
  /** The files of the client certificate and its key: both or neither. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
};

/** Describes a location for messages and logs, without its password. */
export function describePostgres({ user, hosts, database }: PostgresLocation): string {
  return `postgres://${encodeURIComponent(user)}@${hosts.map(describeHost).join(',')}/${encodeURIComponent(database)}`;
}

export function describeHost({ host, port }: PostgresHost): string {
  return `${isIPv6(host) ? `[${host}]` : host.replaceAll('/', '%2F')}:${String(port)}`;
}
