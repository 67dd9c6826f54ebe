import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { createTokenVerifier } from './auth/token-verifier.ts';
import { assertBodiesFit, assertCodecs, assertDistinct, assertFormats } from './complete-application.ts';
import { createLoadShedding } from './http/accept/load-shedding.ts';
import { createDispatcher } from './http/mounts.ts';
import type { Observer } from './http/observer.ts';
import { createRateLimit, type RateLimit, type RateLimitPolicy } from './http/authenticate/rate-limit.ts';
import { removeLeftFiles } from './http/read/temporary-file.ts';
import {
  createObserver,
  openApplication,
  type OpenApplication,
  type ServedApplication,
  type SharedParts,
  type ServiceConfig,
} from './open-application.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import type { ListenOptions } from './server/listen.ts';
import { startServer, type ServerLimits } from './server/server.ts';

/** A service without a port. */
export type Service = OpenApplication & {
  /** Receives the outcome of each request, for the log and the metrics. */
  readonly observer: Observer;
  readonly metrics: Metrics;
  /** Asks endless streams to end. */
  readonly beginStop: () => void;
};

/**
 * Composes a service from its configuration and its applications, each with its own document. They share all limits.
 *
 * @throws {IncompleteApplication}
 * @throws an error for which a driver's `isUnavailable` is true, when the database prevents the start
 */
export async function createService(
  served: readonly [ServedApplication, ...ServedApplication[]],
  config: ServiceConfig,
  log: Logger,
): Promise<Service> {
  const [first] = served;
  const contracts = served.map(({ application }) => application.contract);
  assertDistinct(contracts);
  for (const { application } of served) {
    assertCodecs(application.contract, application.codecs ?? {});
    assertFormats(application.contract, application.formats);
    assertBodiesFit(application.contract, config.bodyLimitBytes, config.loadShedding.bodyMemoryLimitBytes);
  }
  const metrics = createMetrics(contracts.map(({ info: { title: name, version } }) => ({ name, version })));
  const loadShedding = createLoadShedding(config.loadShedding, log);
  metrics.gauge('http_requests_in_flight', 'Requests that are being handled.', loadShedding.inFlight);
  metrics.gauge('http_streams', 'Open streams.', loadShedding.openStreams);
  const limiter = config.rateLimit && (await openRateLimit(config.rateLimit, first, log));
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // Each stream adds a listener.
  const shared = {
    config,
    log,
    metrics,
    loadShedding,
    rateLimit: limiter?.rateLimit,
    tokenVerifier: await createTokenVerifier(config.auth, log, stopping.signal),
    stopping: stopping.signal,
  };
  const opened = await openAll(served, shared).catch(async (error: unknown) => {
    await limiter?.close();
    throw error;
  });
  return {
    ...opened,
    observer: createObserver(metrics, log),
    metrics,
    beginStop: () => {
      stopping.abort();
    },
    async close() {
      await Promise.all([opened.close(), limiter?.close()]);
    },
  };
}

/** Opens all applications. If one fails, closes the others. */
async function openAll(
  served: readonly [ServedApplication, ...ServedApplication[]],
  shared: SharedParts,
): Promise<OpenApplication> {
  const [first, ...others] = served;
  const open = (one: ServedApplication): Promise<OpenApplication> => openApplication(one, shared, others.length > 0);
  const opened = [await open(first)] as [OpenApplication, ...OpenApplication[]];
  try {
    for (const other of others) opened.push(await open(other));
  } catch (error) {
    await Promise.all(opened.map(({ close }) => close()));
    throw error;
  }
  return combine(opened);
}

/** Combines open applications into one. The first application answers requests that match none. */
function combine(all: readonly [OpenApplication, ...OpenApplication[]]): OpenApplication {
  const [first] = all;
  return {
    mounts: all.flatMap(({ mounts }) => mounts),
    app: all.length === 1 ? first.app : createDispatcher(all),
    messageClasses: first.messageClasses,
    failureResponse: first.failureResponse,
    acceptsTokens: all.some(({ acceptsTokens }) => acceptsTokens),
    async readinessProblem() {
      const problems = await Promise.all(all.map(({ readinessProblem }) => readinessProblem()));
      return problems.find((problem) => problem !== undefined);
    },
    async close() {
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}

/**
 * Opens a rate limit. Instances on the same database server share its counts.
 *
 * @throws an error for which the driver's `isUnavailable` is true, when the database cannot be used
 */
async function openRateLimit(
  policy: RateLimitPolicy,
  { application, config: { database } }: ServedApplication,
  log: Logger,
): Promise<{ readonly rateLimit: RateLimit; readonly close: () => Promise<void> }> {
  const { contract, database: driver } = application;
  const options = { name: contract.info.title, windowSeconds: policy.windowSeconds };
  const counter = await driver?.openCounter(database.location, options, { ...database, log });
  const isUnavailable = (error: unknown): boolean => driver?.isUnavailable(error) === true;
  const rateLimit = createRateLimit(policy, counter && { add: counter.add, isUnavailable });
  return { rateLimit, close: async () => counter?.close() };
}

/** A listening service. */
export type RunningService = Pick<Service, 'readinessProblem' | 'acceptsTokens'> & {
  /** Returns the metrics in Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** The base URL: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Replaces all applications. Pending requests are still answered by the replaced applications. */
  readonly replace: (served: readonly [ServedApplication, ...ServedApplication[]]) => Promise<void>;
  /**
   * Stops listening, finishes the pending requests and closes the application.
   *
   * @returns whether every request was answered within `graceMs`
   */
  readonly stop: (graceMs: number) => Promise<boolean>;
};

/**
 * Composes a service and starts its server.
 *
 * @throws {IncompleteApplication | CannotListen}
 * @throws an error for which a driver's `isUnavailable` is true, when the database prevents the start
 */
export async function startService(
  served: readonly [ServedApplication, ...ServedApplication[]],
  config: ServiceConfig & { readonly listen: ListenOptions; readonly server: ServerLimits },
  log: Logger,
): Promise<RunningService> {
  void removeLeftFiles();
  let service = await createService(served, config, log);
  const server = await startServer(
    (req, res) => {
      service.app(req, res);
    },
    { ...config.listen, limits: config.server, messageClasses: service.messageClasses, rejections: () => service },
  );
  countConnections();
  return {
    url: server.url,
    metrics: () => service.metrics.text(),
    readinessProblem: () => service.readinessProblem(),
    acceptsTokens: service.acceptsTokens,
    async replace(next) {
      const replaced = service;
      service = await createService(next, config, log);
      countConnections();
      replaced.beginStop();
      await replaced.close();
    },
    async stop(graceMs) {
      service.beginStop();
      const inTime = await server.stop(graceMs);
      await service.close();
      return inTime;
    },
  };

  function countConnections(): void {
    service.metrics.gauge('http_connections', 'Open connections.', server.connectionCount);
  }
}
