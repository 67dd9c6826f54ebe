import { randomBytes } from 'node:crypto';
import type { DatabaseConfig, DatabaseDriver } from '../application.ts';
import { isWithoutCredentials, readAuthSettings } from '../auth/auth-settings.ts';
import { hashToken } from '../auth/tokens.ts';
import type { DocsSetting } from '../docs/docs.ts';
import { createProxyTrust } from '../http/accept/client-address.ts';
import { type CorsPolicy, TOKEN } from '../http/accept/cors.ts';
import type { LoadSheddingLimits } from '../http/accept/load-shedding.ts';
import type { RateLimitPolicy } from '../http/authenticate/rate-limit.ts';
import type { ResponseValidation } from '../http/handle/call-handler.ts';
import { COMPRESSIONS } from '../http/reply/compression.ts';
import type { ApplicationConfig, ServiceConfig } from '../open-application.ts';
import type { ListenOptions } from '../server/listen.ts';
import type { ServerLimits } from '../server/server.ts';
import type { Settings } from '../settings.ts';
import { EnvironmentReader } from './environment.ts';
import { readApplicationSettings } from './application-settings.ts';
import type { Telemetry } from './telemetry.ts';

/** The configuration of the process, validated. */
export type Config = ServiceConfig &
  ApplicationConfig & {
    /** The token generated for this run; `undefined` when credentials are configured. */
    readonly developmentToken: string | undefined;
    readonly listen: ListenOptions;
    readonly server: ServerLimits;
    /** The listener for probes and metrics. */
    readonly ops: ListenOptions;
    readonly shutdownGraceMs: number;
    readonly docs: DocsSetting;
    /** Present if the OpenTelemetry SDK exports spans; it reads the endpoint itself. */
    readonly telemetry: Telemetry | undefined;
    readonly logLevel: string;
  };

type Variables = EnvironmentReader['variables'];
type Storage<Location> = { readonly database: DatabaseConfig<Location>; readonly bodyLimitBytes: number };
type Problems = { readonly problems: readonly string[] };

const NODE_ENVS = ['production', 'development', 'test'];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the configuration from environment variables.
 *
 * @param driver the driver of the database; `undefined` for an application without a database
 * @param settings the settings that the application declares
 * @returns the configuration, or all its problems, one line each
 */
export async function readConfig(
  variables: Variables,
  driver: DatabaseDriver | undefined,
  settings: Settings = {},
): Promise<{ readonly config: Config } | Problems> {
  const env = new EnvironmentReader(variables);
  const { problems } = env;
  const production = env.oneOf('NODE_ENV', NODE_ENVS) === 'production';
  const auth = await readAuthSettings(variables, problems);
  const isOpen = isWithoutCredentials(auth) && !production;
  const developmentToken = isOpen ? randomBytes(24).toString('base64url') : undefined;
  const listen = { host: env.host('HOST'), port: env.port('PORT', 3000), reusePort: env.switch('REUSE_PORT') ?? false };
  const { database, bodyLimitBytes } = readStorage(env, driver);
  const config: Config = {
    production,
    listen,
    auth: developmentToken === undefined ? auth : { ...auth, tokens: [hashToken('development', developmentToken)] },
    developmentToken,
    database,
    bodyLimitBytes,
    server: readServerLimits(env),
    loadShedding: readLoadSheddingLimits(env, bodyLimitBytes),
    responseValidation: readResponseValidation(env),
    handlerTimeoutMs: env.integer('HANDLER_TIMEOUT_MS', 0, 0, 3_600_000),
    compressResponses: env.oneOf('COMPRESS_RESPONSES', COMPRESSIONS) ?? 'off',
    decompressRequests: env.switch('DECOMPRESS_REQUESTS') ?? false,
    eventStreamQuietMs: env.integer('EVENT_STREAM_QUIET_MS', 15_000, 0, 3_600_000),
    streamStallTimeoutMs: env.milliseconds('STREAM_STALL_TIMEOUT_MS', 60_000),
    rateLimit: readRateLimit(env),
    trustProxy: readTrustProxy(env),
    publicUrl: readPublicUrl(env),
    cors: readCorsPolicy(env),
    ops: { host: env.host('OPS_HOST'), port: env.port('OPS_PORT', portBeside(listen.port)) },
    shutdownGraceMs: env.integer('SHUTDOWN_GRACE_MS', 10_000, 0, 3_600_000),
    docs: env.switch('DOCS') ?? (production ? false : 'if possible'),
    telemetry: readTelemetry(env),
    logLevel: readLogLevel(env),
    settings: readApplicationSettings(env, settings),
  };
  return problems.length > 0 ? { problems } : { config: Object.freeze(config) };
}

/** The part of the configuration that commands use. */
type CommandConfig<Location> = Storage<Location> & Pick<Config, 'settings' | 'logLevel'>;

/** Reads the part of the configuration that commands use; see `readConfig`. */
export function readCommandConfig<Location>(
  variables: Variables,
  driver: DatabaseDriver<Location> | undefined,
  settings: Settings = {},
): CommandConfig<Location> | Problems {
  const env = new EnvironmentReader(variables);
  const config = {
    ...readStorage(env, driver),
    settings: readApplicationSettings(env, settings),
    logLevel: readLogLevel(env),
  };
  // Without problems, the location is defined.
  return env.problems.length > 0 ? { problems: env.problems } : (config as CommandConfig<Location>);
}

/** Returns the default port of the listener for probes and metrics: an adjacent port, or 0 for a free port. */
function portBeside(port: number): number {
  return port === 0 ? 0 : port === 65_535 ? port - 1 : port + 1;
}

function readResponseValidation({ variables, problems }: EnvironmentReader): ResponseValidation {
  const mode = variables['VALIDATE_RESPONSES'] ?? 'enforce';
  if (mode === 'enforce' || mode === 'report') return mode;
  problems.push(`VALIDATE_RESPONSES must be enforce or report, not "${mode}"`);
  return 'enforce';
}

function readTrustProxy({ variables, problems }: EnvironmentReader): readonly string[] {
  const entries = (variables['TRUST_PROXY'] ?? '').split(',').map((entry) => entry.trim());
  const proxies = entries.filter((entry) => entry !== '');
  try {
    createProxyTrust(proxies);
  } catch {
    problems.push(
      'TRUST_PROXY must be the number of proxies, or addresses or subnets, comma-separated: 10.0.0.0/8, fd00::/8, loopback, linklocal, uniquelocal',
    );
  }
  return proxies;
}

/** Reads PUBLIC_URL. Returns it without a trailing slash. */
function readPublicUrl({ variables, problems }: EnvironmentReader): string | undefined {
  const { PUBLIC_URL: text } = variables;
  if (text === undefined) return undefined;
  const url = /^https?:\/\/[^?#@\s]+$/i.test(text) ? URL.parse(text) : null;
  if (url === null) {
    const shown = text.replace(/\/\/[^/]*@/, '//…@'); // Hides a password.
    problems.push(`PUBLIC_URL must be an http or https URL without a query, not "${shown}"`);
  }
  return url?.href.replace(/\/+$/, '');
}

/** Reads the database limits and location. The location is `undefined` without a database or with an invalid URL. */
function readStorage<Location>(
  env: EnvironmentReader,
  driver: DatabaseDriver<Location> | undefined,
): Storage<Location | undefined> {
  const read = driver?.parseUrl(env.variables['DATABASE_URL'] ?? driver.defaultUrl);
  if (read !== undefined && 'problems' in read) env.problems.push(...read.problems);
  return {
    database: {
      location: read !== undefined && 'location' in read ? read.location : undefined,
      poolSize: env.integer('DATABASE_POOL_SIZE', 4, 1, 100),
      timeoutMs: env.integer('DATABASE_TIMEOUT_MS', 5_000, 100, 600_000),
      queueLimitBytes: env.integer('DATABASE_QUEUE_LIMIT_BYTES', 67_108_864, 1, 2 ** 40),
    },
    bodyLimitBytes: env.integer('BODY_LIMIT_BYTES', 1_048_576, 1, 2 ** 28),
  };
}

function readLoadSheddingLimits(env: EnvironmentReader, bodyLimitBytes: number): LoadSheddingLimits {
  const fallback = Math.max(67_108_864, bodyLimitBytes);
  const limits = {
    inFlightLimit: env.integer('IN_FLIGHT_LIMIT', 1_000, 1, 1_000_000),
    bodyMemoryLimitBytes: env.integer('BODY_MEMORY_LIMIT_BYTES', fallback, 1, 2 ** 40),
    streamLimit: env.integer('STREAM_LIMIT', 1_000, 1, 1_000_000),
    eventLoopDelayLimitMs: env.milliseconds('EVENT_LOOP_DELAY_LIMIT_MS', 500),
  };
  if (limits.bodyMemoryLimitBytes < bodyLimitBytes) {
    env.problems.push('BODY_MEMORY_LIMIT_BYTES must not be smaller than BODY_LIMIT_BYTES');
  }
  return limits;
}

/** Reads the rate limit. Returns `undefined` without `RATE_LIMIT_REQUESTS`. */
function readRateLimit(env: EnvironmentReader): RateLimitPolicy | undefined {
  const requests = env.integer('RATE_LIMIT_REQUESTS', 0, 1, 1_000_000);
  const windowSeconds = env.integer('RATE_LIMIT_WINDOW_SECONDS', 60, 1, 3_600);
  if (env.variables['RATE_LIMIT_REQUESTS'] !== undefined) return { requests, windowSeconds };
  if (env.variables['RATE_LIMIT_WINDOW_SECONDS'] !== undefined) {
    env.problems.push('RATE_LIMIT_WINDOW_SECONDS needs RATE_LIMIT_REQUESTS');
  }
  return undefined;
}

function readServerLimits(env: EnvironmentReader): ServerLimits {
  const requestTimeoutMs = env.milliseconds('REQUEST_TIMEOUT_MS', 60_000);
  const headersTimeoutMs = env.milliseconds('HEADERS_TIMEOUT_MS', Math.min(10_000, requestTimeoutMs));
  if (headersTimeoutMs > requestTimeoutMs) {
    env.problems.push(
      'HEADERS_TIMEOUT_MS must not be larger than REQUEST_TIMEOUT_MS, which counts from the same moment',
    );
  }
  return {
    headerLimitBytes: env.integer('HEADER_LIMIT_BYTES', 16_384, 1_024, 2 ** 20),
    headersTimeoutMs,
    requestTimeoutMs,
    // Longer than the 60 seconds of most proxies: if the proxy closes idle connections first, no request is lost.
    keepAliveTimeoutMs: env.milliseconds('KEEP_ALIVE_TIMEOUT_MS', 65_000),
    connectionLimit: env.integer('CONNECTION_LIMIT', 4_000, 1, 1_000_000),
  };
}

/**
 * Returns the signals for OpenTelemetry; `undefined` without an OTLP endpoint. An empty variable counts as unset
 * (OpenTelemetry specification).
 */
function readTelemetry({ variables, problems }: EnvironmentReader): Telemetry | undefined {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '',
    OTEL_METRICS_EXPORTER: metrics = '',
    OTEL_LOGS_EXPORTER: logs = '',
  } = variables;
  if (endpoint !== '' && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    problems.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, like http://localhost:4318');
  }
  return endpoint === '' ? undefined : { metrics: metrics !== '', logs: logs !== '' };
}

function readLogLevel(env: EnvironmentReader): string {
  return env.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info';
}

/** Reads the CORS policy. Returns `undefined` without `CORS_ORIGINS`. */
function readCorsPolicy(env: EnvironmentReader): CorsPolicy | undefined {
  const { variables, problems } = env;
  const entries = (variables['CORS_ORIGINS'] ?? '').split(',').map((entry) => entry.trim());
  const origins = entries.filter((entry) => entry !== '');
  const credentials = env.switch('CORS_CREDENTIALS') ?? false;
  const maxAgeSeconds = env.integer('CORS_MAX_AGE_SECONDS', 600, 0, 86_400);
  const requestHeaders = (variables['CORS_HEADERS'] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (!requestHeaders.every((name) => TOKEN.test(name)))
    problems.push('CORS_HEADERS must be names of headers, comma-separated: X-Requested-With, X-CSRF-Token');
  if (origins.length === 0) {
    if (requestHeaders.length > 0) problems.push('CORS_HEADERS needs CORS_ORIGINS');
    if (credentials) problems.push('CORS_CREDENTIALS=on needs CORS_ORIGINS');
    if (variables['CORS_MAX_AGE_SECONDS'] !== undefined) problems.push('CORS_MAX_AGE_SECONDS needs CORS_ORIGINS');
    return undefined;
  }
  if (origins.join() === '*') {
    if (credentials) problems.push('CORS_CREDENTIALS=on needs the origins in CORS_ORIGINS: browsers do not accept *');
    return { origins: '*', credentials, maxAgeSeconds, requestHeaders };
  }
  for (const origin of origins.filter((entry) => !isOrigin(entry))) {
    problems.push(
      `CORS_ORIGINS must be * alone or origins as browsers send them, such as https://app.example.com or http://localhost:5173, not "${origin}"`,
    );
  }
  return { origins, credentials, maxAgeSeconds, requestHeaders };
}

/** Whether a text is an origin as in the Origin header: no path, trailing slash or default port. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.host === '' || url.host.includes('*')) return false;
  // In the URL Standard, the origin of other schemes is `null`. Apps with such schemes send an origin:
  // capacitor://localhost.
  return text === (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin);
}
