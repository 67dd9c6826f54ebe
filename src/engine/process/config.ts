import { randomBytes } from 'node:crypto';
import { compile as compileTrust } from 'proxy-addr';
import { readAuthSettings } from '../auth/settings.ts';
import { hashToken } from '../auth/tokens.ts';
import type { DocsSetting } from '../docs/docs.ts';
import { parseDatabaseUrl } from '../database/open-database.ts';
import type { LoadSheddingLimits } from '../http/load-shedding.ts';
import type { ListenOptions } from '../server/listen.ts';
import type { ServerLimits } from '../server/server.ts';
import type { DatabaseConfig, ServiceConfig } from '../service.ts';

/** The configuration of the process, validated. */
export type Config = ServiceConfig & {
  /** The token that was generated for this run, since no credentials are configured. */
  readonly developmentToken: string | undefined;
  readonly listen: ListenOptions;
  readonly server: ServerLimits;
  /** The listener for probes and metrics. */
  readonly ops: ListenOptions;
  readonly shutdownGraceMs: number;
  readonly docsPage: DocsSetting;
  readonly logLevel: string;
};

type Environment = Readonly<Record<string, string | undefined>>;
type Problems = { readonly problems: readonly string[] };

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the configuration from environment variables.
 *
 * @param defaultDatabaseUrl where `DATABASE_URL` is not set
 * @returns the configuration, or all its problems, one line each
 */
export async function readConfig(
  env: Environment,
  defaultDatabaseUrl: string,
): Promise<{ readonly config: Config } | Problems> {
  const problems: string[] = [];
  const production = env['NODE_ENV'] === 'production';
  const auth = await readAuthSettings(env, problems);
  const developmentToken = auth === undefined && !production ? randomBytes(24).toString('base64url') : undefined;
  if (auth === undefined && production) {
    problems.push('no credentials configured: with NODE_ENV=production, set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER');
  }
  const config: Config = {
    production,
    listen: {
      host: readHost(env, 'HOST', problems),
      port: readPort(env, 'PORT', 3000, problems),
      reusePort: readSwitch(env, 'REUSE_PORT', problems) ?? false,
    },
    auth: auth ?? {
      tokens: developmentToken === undefined ? [] : [hashToken('development', developmentToken)],
      tokensFile: undefined,
      jwt: undefined,
    },
    developmentToken,
    database: readDatabase(env, defaultDatabaseUrl, problems),
    bodyLimitBytes: readBodyLimit(env, problems),
    server: readServerLimits(env, problems),
    loadShedding: readLoadSheddingLimits(env, problems),
    trustProxy: readTrustProxy(env, problems),
    ops: { host: readHost(env, 'OPS_HOST', problems), port: readPort(env, 'OPS_PORT', 3001, problems) },
    shutdownGraceMs: readInteger(env, 'SHUTDOWN_GRACE_MS', { fallback: 10_000, min: 0, max: 3_600_000 }, problems),
    docsPage: readDocs(env, production, problems),
    logLevel: readLogLevel(env, problems),
  };
  return problems.length > 0 ? { problems } : { config: Object.freeze(config) };
}

/** Reads the part of the configuration that the commands on the database need. */
export function readDatabaseConfig(
  env: Environment,
  defaultDatabaseUrl: string,
): { readonly database: DatabaseConfig; readonly bodyLimitBytes: number } | Problems {
  const problems: string[] = [];
  const config = {
    database: readDatabase(env, defaultDatabaseUrl, problems),
    bodyLimitBytes: readBodyLimit(env, problems),
  };
  return problems.length > 0 ? { problems } : config;
}

function readHost(env: Environment, name: string, problems: string[]): string {
  const host = env[name] ?? '127.0.0.1';
  // With an empty host, Node would listen on every interface.
  if (host.trim() === '') problems.push(`${name} must not be empty; 0.0.0.0 listens on every IPv4 interface`);
  return host;
}

function readPort(env: Environment, name: string, fallback: number, problems: string[]): number {
  return readInteger(env, name, { fallback, min: 0, max: 65_535 }, problems);
}

function readTrustProxy(env: Environment, problems: string[]): readonly string[] {
  const entries = (env['TRUST_PROXY'] ?? '').split(',').map((entry) => entry.trim());
  const proxies = entries.filter((entry) => entry !== '');
  try {
    // proxy-addr reads a number as an IPv4 address; users would mean a number of proxies.
    if (proxies.some((proxy) => /^\d+$/.test(proxy))) throw new RangeError();
    compileTrust(proxies);
  } catch {
    problems.push(
      'TRUST_PROXY must be addresses or subnets, comma-separated: 10.0.0.0/8, fd00::/8, loopback, linklocal, uniquelocal',
    );
  }
  return proxies;
}

function readDatabase(env: Environment, defaultUrl: string, problems: string[]): DatabaseConfig {
  const read = parseDatabaseUrl(env['DATABASE_URL'] ?? defaultUrl);
  if ('problems' in read) problems.push(...read.problems);
  return {
    location: 'location' in read ? read.location : { engine: 'sqlite', path: '' },
    poolSize: readInteger(env, 'DATABASE_POOL_SIZE', { fallback: 4, min: 1, max: 100 }, problems),
    timeoutMs: readInteger(env, 'DATABASE_TIMEOUT_MS', { fallback: 5_000, min: 100, max: 600_000 }, problems),
    queueLimitBytes: readInteger(
      env,
      'DATABASE_QUEUE_LIMIT_BYTES',
      { fallback: 67_108_864, min: 1, max: 2 ** 40 },
      problems,
    ),
  };
}

function readBodyLimit(env: Environment, problems: string[]): number {
  return readInteger(env, 'BODY_LIMIT_BYTES', { fallback: 1_048_576, min: 1, max: 2 ** 28 }, problems);
}

function readLoadSheddingLimits(env: Environment, problems: string[]): LoadSheddingLimits {
  const bodyLimitBytes = readBodyLimit(env, []);
  const fallback = Math.max(67_108_864, bodyLimitBytes);
  const limits = {
    inFlightLimit: readInteger(env, 'IN_FLIGHT_LIMIT', { fallback: 1_000, min: 1, max: 1_000_000 }, problems),
    bodyMemoryLimitBytes: readInteger(env, 'BODY_MEMORY_LIMIT_BYTES', { fallback, min: 1, max: 2 ** 40 }, problems),
    eventLoopDelayLimitMs: readMilliseconds(env, 'EVENT_LOOP_DELAY_LIMIT_MS', 500, problems),
  };
  if (limits.bodyMemoryLimitBytes < bodyLimitBytes) {
    problems.push('BODY_MEMORY_LIMIT_BYTES must not be smaller than BODY_LIMIT_BYTES');
  }
  return limits;
}

function readServerLimits(env: Environment, problems: string[]): ServerLimits {
  const requestTimeoutMs = readMilliseconds(env, 'REQUEST_TIMEOUT_MS', 60_000, problems);
  const headersTimeoutMs = readMilliseconds(env, 'HEADERS_TIMEOUT_MS', Math.min(10_000, requestTimeoutMs), problems);
  if (headersTimeoutMs > requestTimeoutMs) {
    problems.push('HEADERS_TIMEOUT_MS must not be larger than REQUEST_TIMEOUT_MS, which counts from the same moment');
  }
  return {
    headerLimitBytes: readInteger(env, 'HEADER_LIMIT_BYTES', { fallback: 16_384, min: 1_024, max: 2 ** 20 }, problems),
    headersTimeoutMs,
    requestTimeoutMs,
    // Most proxies close idle connections after 60 seconds, and should be the ones to do so.
    keepAliveTimeoutMs: readMilliseconds(env, 'KEEP_ALIVE_TIMEOUT_MS', 65_000, problems),
    connectionLimit: readInteger(env, 'CONNECTION_LIMIT', { fallback: 4_000, min: 1, max: 1_000_000 }, problems),
  };
}

function readMilliseconds(env: Environment, name: string, fallback: number, problems: string[]): number {
  return readInteger(env, name, { fallback, min: 100, max: 3_600_000 }, problems);
}

function readInteger(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
  problems: string[],
): number {
  const text = env[name];
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  problems.push(`${name} must be an integer from ${String(min)} to ${String(max)}, not "${text}"`);
  return fallback;
}

function readDocs(env: Environment, production: boolean, problems: string[]): DocsSetting {
  const isOn = readSwitch(env, 'DOCS', problems);
  if (isOn === undefined) return production ? 'off' : 'if possible';
  return isOn ? 'on' : 'off';
}

function readSwitch(env: Environment, name: string, problems: string[]): boolean | undefined {
  const text = env[name];
  if (text !== undefined && text !== 'on' && text !== 'off') problems.push(`${name} must be on or off, not "${text}"`);
  return text === undefined ? undefined : text === 'on';
}

function readLogLevel(env: Environment, problems: string[]): string {
  const level = env['LOG_LEVEL'] ?? 'info';
  if (!LOG_LEVELS.includes(level)) problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${level}"`);
  return level;
}
