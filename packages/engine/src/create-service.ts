import type { Express } from 'express';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { assertBodiesFit, assertComplete } from './complete-application.ts';
import type { AuthSettings } from './auth/settings.ts';
import { createTokenVerifier } from './auth/token-verifier.ts';
import { Validators } from '@contract-first/contract';
import type { Application, DatabaseConfig, DatabaseDriver, DatabaseOptions } from './application.ts';
import type { Docs } from './docs/docs.ts';
import { createApp } from './http/app.ts';
import type { ResponseValidation } from './http/pipeline.ts';
import type { CorsPolicy } from './http/cors.ts';
import { createLoadShedding, type LoadSheddingLimits } from './http/load-shedding.ts';
import { createFailureResponse, type FailureResponse } from './http/failure-response.ts';
import type { Observer } from './http/observer.ts';
import { createRateLimit, type RateLimit, type RateLimitPolicy } from './http/rate-limit.ts';
import { removeLeftFiles } from './http/temporary-file.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import type { ListenOptions } from './server/listen.ts';
import { startServer, type ServerLimits } from './server/server.ts';

/** The configuration of a service. */
export type ServiceConfig = {
  /**
   * In production, every operation must have a handler, and its validator is compiled at the start. In development, one
   * without a handler is answered 501, and validators are compiled with the first request.
   */
  readonly production: boolean;
  readonly auth: AuthSettings;
  readonly database: DatabaseConfig;
  readonly bodyLimitBytes: number;
  readonly responseValidation: ResponseValidation;
  readonly loadShedding: LoadSheddingLimits;
  /** How long a stream stays open while its client takes nothing of it. */
  readonly streamStallTimeoutMs: number;
  /** `undefined`: no limit. */
  readonly rateLimit: RateLimitPolicy | undefined;
  /** The proxies whose X-Forwarded-For is believed: addresses, subnets, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy: readonly string[];
  /** `undefined`: only pages of the service's own origin read responses. */
  readonly cors: CorsPolicy | undefined;
};

/** A service without a port. */
export type Service = {
  readonly app: Express;
  readonly failureResponse: FailureResponse;
  /** Receives the outcome of each request, for the log and the metrics. */
  readonly observer: Observer;
  readonly metrics: Metrics;
  /** Returns the reason why the service cannot handle requests now, if there is one. Never rejects. */
  readonly readinessProblem: () => Promise<string | undefined>;
  /** Asks endless streams to end. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
};

/**
 * Composes a service from an application and its configuration.
 *
 * @throws {IncompleteApplication} or an error that the driver calls unavailable, when it cannot start
 */
export async function createService(
  application: Application,
  config: ServiceConfig,
  log: Logger,
  docs?: Docs,
): Promise<Service> {
  const { contract, failures, database } = application;
  const isUnavailable = (error: unknown): error is Error => database?.isUnavailable(error) === true;
  assertBodiesFit(contract, config.bodyLimitBytes, config.loadShedding.bodyMemoryLimitBytes);
  const { title: name, version } = contract.info;
  const metrics = createMetrics({ name, version });
  const observer: Observer = {
    answered(request) {
      log.info(request);
      metrics.answered(request);
    },
    rejected(rejection) {
      log.debug(rejection, 'request rejected');
    },
    sentInvalid(response) {
      log.warn(response, 'a response does not conform to the document');
      metrics.sentInvalid(response);
    },
    refused: metrics.refused,
  };
  const { handlers, checkers, check, close } = await application.open({
    ...config.database,
    onCommit: metrics.committed,
    log,
  });
  const limiter =
    config.rateLimit && (await openRateLimit(name, config.rateLimit, database, { ...config.database, log }));
  const validators = new Validators(contract);
  if (config.production) {
    assertComplete(contract, { failures, handlers, checkers });
    for (const operation of Object.values(contract.operations)) await validators.compile(operation);
  }
  const loadShedding = createLoadShedding(config.loadShedding, log);
  metrics.gauge('http_requests_in_flight', 'Requests that are being handled.', loadShedding.inFlight);
  metrics.gauge('http_streams', 'Open streams.', loadShedding.openStreams);
  const failureResponse = createFailureResponse(contract, failures, log);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // Each stream listens.
  const tokenVerifier = createTokenVerifier(config.auth, log, stopping.signal);
  const app = createApp({
    ...config,
    contract,
    validators,
    handlers,
    checkers,
    failureResponse,
    tokenVerifier,
    loadShedding,
    rateLimit: limiter?.rateLimit,
    stopping: stopping.signal,
    isUnavailable,
    docs,
    observer,
    log,
  });
  return {
    app,
    failureResponse,
    observer,
    metrics,
    beginStop: () => {
      stopping.abort();
    },
    async close() {
      await Promise.all([close(), limiter?.close()]);
    },
    async readinessProblem() {
      try {
        await check();
        return undefined;
      } catch (error) {
        if (isUnavailable(error)) return error.message;
        log.error({ err: error }, 'the readiness check failed');
        return 'the readiness check failed';
      }
    },
  };
}

/**
 * Opens a rate limit, which the instances on one database server share.
 *
 * @param name of the application
 * @throws an error that the driver calls unavailable, when the database cannot be used
 */
async function openRateLimit(
  name: string,
  policy: RateLimitPolicy,
  driver: DatabaseDriver | undefined,
  database: DatabaseConfig & DatabaseOptions,
): Promise<{ readonly rateLimit: RateLimit; readonly close: () => Promise<void> }> {
  const options = { name, windowSeconds: policy.windowSeconds };
  const counter = await driver?.openCounter(database.location, options, database);
  const isUnavailable = (error: unknown): boolean => driver?.isUnavailable(error) === true;
  const rateLimit = createRateLimit(policy, counter && { add: counter.add, isUnavailable });
  return { rateLimit, close: async () => counter?.close() };
}

/** A service that listens. */
export type RunningService = Pick<Service, 'readinessProblem'> & {
  /** Writes the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Its address: `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Stops listening, finishes the pending requests and closes the application.
   *
   * @returns whether every request was answered within the time
   */
  readonly stop: (graceMs: number) => Promise<boolean>;
};

/**
 * Composes a service and starts its server.
 *
 * @throws {IncompleteApplication | CannotListen} or an error that the driver calls unavailable, when it cannot start
 */
export async function startService(
  application: Application,
  config: ServiceConfig & { readonly listen: ListenOptions; readonly server: ServerLimits },
  log: Logger,
  docs?: Docs,
): Promise<RunningService> {
  void removeLeftFiles();
  const service = await createService(application, config, log, docs);
  const { app, failureResponse, observer, metrics, readinessProblem, beginStop, close } = service;
  const server = await startServer(app, { ...config.listen, limits: config.server, observer, failureResponse });
  metrics.gauge('http_connections', 'Open connections.', server.connectionCount);
  return {
    url: server.url,
    metrics: metrics.text,
    readinessProblem,
    async stop(graceMs) {
      beginStop();
      const inTime = await server.stop(graceMs);
      await close();
      return inTime;
    },
  };
}
