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

const TLS_MODES: readonly PostgresTls['mode'][] = ['disable', 'require', 'verify-ca', 'verify-full'];
const PARAMETERS = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'application_name',
  'target_session_attrs',
] as const;
const DEFAULT_PORT = 5432;
// Parsed like libpq: the user information ends at the first @ before any slash, and # has no meaning.
const URL_PARTS =
  /^postgres(?:ql)?:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/s;
const HOST_PARTS = /^(?:\[(?<address>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d*))?$/;
const ESCAPES = 'in a user or password, / @ : are written %2F %40 %3A';
const HOST_NAME = /^[^\s,:/@?#[\]]+$/;

type Problem = (text: string) => void;

/**
 * Parses a `postgres://` or `postgresql://` URL like libpq (PostgreSQL documentation, 32.1.1.2), but strictly:
 * unsupported parts are problems. Without `sslmode`, TLS is required unless every host is the local machine.
 *
 * @returns the location, or every problem; problems never quote the URL, since any part may be a misplaced password
 */
export function parsePostgresUrl(url: string): { location: PostgresLocation } | { problems: readonly string[] } {
  const problems: string[] = [];
  const problem: Problem = (text) => problems.push(`DATABASE_URL: ${text}`);
  const parts = URL_PARTS.exec(url)?.groups;
  if (parts === undefined) {
    problem('must look like postgres://user:password@host:5432/database');
    return { problems };
  }

  const { user, password } = readLogin(parts['login'], problem);
  const hosts = (parts['hosts'] ?? '').split(',').map((text, index) => readHost(text, index + 1, problem));
  // libpq allows / and @. They may be part of an unescaped password, whose middle would be parsed as a host and shown.
  if (/[/@]/.test(parts['database'] ?? '')) problem(`the database must not have / or @ in it; as ${ESCAPES}`);
  const database = decode(parts['database'] ?? '', 'the database', problem);
  const parameters = readParameters(parts['query'], problem);
  const location: PostgresLocation = {
    engine: 'postgres',
    hosts,
    user,
    password,
    database: database === '' ? user : database,
    applicationName: parameters.get('application_name'),
    connectTimeoutMs: readConnectTimeout(parameters.get('connect_timeout'), problem),
    tls: readTls(parameters, hosts.every(isLocal), problem),
  };
  if (!['read-write', 'primary'].includes(parameters.get('target_session_attrs') ?? 'read-write')) {
    problem('target_session_attrs must be read-write or primary: the service has to write');
  }
  return problems.length > 0 ? { problems } : { location };
}

function readLogin(text: string | undefined, problem: Problem) {
  const [user = '', ...password] = (text ?? '').split(':');
  if (user === '') problem('names no user: postgres://user:password@host:5432/database');
  return {
    user: decode(user, 'the user', problem),
    password: decode(password.join(':'), 'the password', problem) || undefined,
  };
}

function readHost(text: string, position: number, problem: Problem): PostgresHost {
  const part = `host ${String(position)}`;
  const parts = HOST_PARTS.exec(text)?.groups;
  const address = parts?.['address'] === undefined ? undefined : decode(parts['address'], part, problem);
  const host = address ?? decode(parts?.['name'] ?? '', part, problem);
  const port = Number(parts?.['port'] === '' ? DEFAULT_PORT : (parts?.['port'] ?? DEFAULT_PORT));
  if (parts === undefined) {
    problem(`${part} must be a name or an address, and a port if it is not 5432; ${ESCAPES}`);
  } else if (address !== undefined) {
    if (!isIPv6(address)) problem(`${part} must have an IPv6 address in its brackets`);
  } else if (host === '') {
    problem(`${part} is empty`);
  } else if (!host.startsWith('/') && !HOST_NAME.test(host)) {
    problem(`${part} has a character that is not allowed in host names; ${ESCAPES}`);
  }
  if (port < 1 || port > 65_535) problem(`${part} must have a port from 1 to 65535`);
  return { host, port };
}

function readParameters(query: string | undefined, problem: Problem): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const texts = query === undefined || query === '' ? [] : query.split('&');
  texts.forEach((text, index) => {
    const part = `parameter ${String(index + 1)}`;
    const [name = '', value, ...more] = text.split('=');
    const known = PARAMETERS.find((parameter) => parameter === decode(name, part, problem));
    if (known === undefined) problem(`${part} must be one of ${PARAMETERS.join(', ')}`);
    else if (value === undefined || more.length > 0) problem(`${known} must be given as ${known}=value`);
    else if (parameters.has(known)) problem(`${known} is given twice`);
    else parameters.set(known, decode(value, known, problem));
  });
  return parameters;
}

function readConnectTimeout(text: string | undefined, problem: Problem): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) problem('connect_timeout must be a number of seconds; 0 sets no limit');
  return Number(text) === 0 ? undefined : Number(text) * 1_000;
}

function readTls(parameters: ReadonlyMap<string, string>, hostsAreLocal: boolean, problem: Problem): PostgresTls {
  const file = (name: string): string | undefined => {
    if (parameters.get(name) === '') problem(`${name} must not be empty`);
    return parameters.get(name);
  };
  const rootCertificate = file('sslrootcert');
  const certificate = file('sslcert');
  const key = file('sslkey');
  const defaultMode = rootCertificate === 'system' ? 'verify-full' : 'require';
  const needsTls = !hostsAreLocal || rootCertificate !== undefined || certificate !== undefined;
  const text = parameters.get('sslmode') ?? (needsTls ? defaultMode : 'disable');
  const mode = TLS_MODES.find((known) => known === text);
  if (mode === undefined) {
    problem(`sslmode must be one of ${TLS_MODES.join(', ')}: prefer and allow could fall back to plain text`);
  }
  if (mode?.startsWith('verify-') === true && rootCertificate === undefined) {
    problem(`sslmode=${mode} needs sslrootcert: a file with the certificates to trust, or system`);
  }
  // Anyone can get a certificate from a public CA, so the host name must be verified.
  if (mode !== undefined && mode !== 'verify-full' && rootCertificate === 'system') {
    problem('sslrootcert=system needs sslmode=verify-full');
  }
  if ((certificate === undefined) !== (key === undefined)) problem('sslcert and sslkey must be given together');
  return { mode: mode ?? 'require', rootCertificate, certificate, key };
}

/** Whether a host is the local machine: a loopback address or the folder of a Unix socket. */
function isLocal({ host }: PostgresHost): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function decode(text: string, part: string, problem: Problem): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
    problem(`${part} must not contain %00`);
  } catch {
    problem(`${part} has a % that is not followed by two hexadecimal digits of UTF-8; write a literal % as %25`);
  }
  return '';
}
