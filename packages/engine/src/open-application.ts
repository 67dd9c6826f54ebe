import type { Logger } from 'pino';
import { findSchemes, idempotencyKeyOf, memoizeByObject, TimeSlices } from '@contract-first/contract';
import type { Application, DatabaseConfig } from './application.ts';
import type { AuthSettings } from './auth/auth-settings.ts';
import type { TokenVerifier } from './auth/token-verifier.ts';
import { assertComplete } from './complete-application.ts';
import type { Docs } from './docs/docs.ts';
import { createClientReader, createProxyTrust } from './http/accept/client-address.ts';
import { createCors, type CorsPolicy } from './http/accept/cors.ts';
import type { LoadShedding, LoadSheddingLimits } from './http/accept/load-shedding.ts';
import { createOrigin } from './http/accept/origin.ts';
import { createApp, type App } from './http/app.ts';
import type { RateLimit, RateLimitPolicy } from './http/authenticate/rate-limit.ts';
import type { ResponseValidation } from './http/handle/call-handler.ts';
import { mountsOf } from './http/mounts.ts';
import type { Endpoint, Observer } from './http/observer.ts';
import { createOperations } from './http/operation.ts';
import { createPipeline } from './http/pipeline.ts';
import { createConversions } from './http/read/codecs.ts';
import type { Compression } from './http/reply/compression.ts';
import { createFailureResponse, type FailureResponse } from './http/reply/failure-response.ts';
import { createResponder } from './http/reply/respond.ts';
import type { Metrics } from './ops/metrics.ts';
import type { Settings, SettingsOf } from './settings.ts';
import { createValidators } from './validators.ts';

/** The configuration of a service. */
export type ServiceConfig = {
  /**
   * In production, every operation must have a handler, and validators are compiled at startup. In development,
   * requests for an operation without a handler get a 501, and a validator is compiled on the first request.
   */
  readonly production: boolean;
  readonly auth: AuthSettings;
  readonly bodyLimitBytes: number;
  readonly responseValidation: ResponseValidation;
  readonly loadShedding: LoadSheddingLimits;
  /** How long a stream stays open while its client reads nothing. */
  readonly streamStallTimeoutMs: number;
  readonly eventStreamQuietMs: number;
  readonly handlerTimeoutMs: number;
  readonly compressResponses: Compression;
  readonly decompressRequests: boolean;
  /** `undefined`: no limit. */
  readonly rateLimit: RateLimitPolicy | undefined;
  /** The proxies whose forwarding headers are trusted: addresses, subnets, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy: readonly string[];
  /**
   * The base URL at which clients reach the service, without a trailing slash; `undefined` takes it from each request.
   */
  readonly publicUrl: string | undefined;
  /** `undefined`: only pages of the service's own origin may read responses. */
  readonly cors: CorsPolicy | undefined;
};

/** The part of the configuration that belongs to one application. */
export type ApplicationConfig = {
  readonly database: DatabaseConfig;
  /** The values of the settings that the application declares. */
  readonly settings: SettingsOf<Settings>;
};

/** An application with its configuration and its docs page. */
export type ServedApplication = {
  readonly application: Application;
  readonly config: ApplicationConfig;
  readonly docs?: Docs | undefined;
};

/** The parts that the applications of a service share. */
export type SharedParts = {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly loadShedding: LoadShedding;
  readonly rateLimit: RateLimit | undefined;
  readonly tokenVerifier: TokenVerifier;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
};

/** An open application. */
export type OpenApplication = App & {
  /** The paths below which the document is served: `/v1`. */
  readonly mounts: readonly string[];
  readonly failureResponse: FailureResponse;
  /** Returns why requests cannot be handled now; `undefined` when they can. Never rejects. */
  readonly readinessProblem: () => Promise<string | undefined>;
  readonly close: () => Promise<void>;
  /** Whether the configured tokens are credentials: a scheme of the engine has no checker of the application. */
  readonly acceptsTokens: boolean;
};

/**
 * Opens an application, and composes the way of its requests.
 *
 * @param isNamed whether metrics have a label with the path of the document, as with several documents
 * @throws {IncompleteApplication}
 * @throws an error for which the driver's `isUnavailable` is true, when the database prevents the start
 */
export async function openApplication(
  { application, config: { database, settings }, docs }: ServedApplication,
  { config, log, metrics, loadShedding, rateLimit: sharedRateLimit, tokenVerifier, stopping }: SharedParts,
  isNamed: boolean,
): Promise<OpenApplication> {
  const { contract, failures, database: driver } = application;
  const isUnavailable = (error: unknown): error is Error => driver?.isUnavailable(error) === true;
  const isTextNotStorable = (error: unknown): boolean => driver?.isTextNotStorable(error) === true;
  const backend = await application.open({
    ...database,
    settings,
    once: Object.values(contract.operations).some((operation) => idempotencyKeyOf(operation) !== undefined),
    metrics: metrics.registry,
    onCommit: metrics.committed,
    log,
  });
  const { handlers, checkers, middleware = [], once, check, close } = backend;
  const validators = createValidators(contract);
  try {
    if (config.production) {
      assertComplete(contract, { failures, handlers, checkers, once }, config.auth);
      for (const operation of Object.values(contract.operations)) await validators.compile(operation);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const mounts = mountsOf(contract);
  const [path = ''] = mounts;
  const observer = createObserver(metrics, log, isNamed ? path || '/' : undefined);
  const rateLimit = sharedRateLimit && countApart(sharedRateLimit, checkers, path);
  const corsPolicy = config.cors ?? application.cors;
  const cors = corsPolicy && createCors(corsPolicy, contract);
  const conversions = createConversions(application, log);
  const failureResponse = createFailureResponse(contract, application, conversions, log);
  const slices = new TimeSlices();
  const operations = createOperations({
    contract,
    validators,
    conversions,
    handlers,
    handlerTimeoutMs: config.handlerTimeoutMs,
    checkers,
    tokenVerifier,
    ignoresInvalidCredentials: application.ignoresInvalidCredentials ?? false,
    rateLimit,
    loadShedding,
    bodyLimitBytes: config.bodyLimitBytes,
    decompressRequests: config.decompressRequests,
    once,
    originOf: createOrigin(config.publicUrl),
    responseValidation: config.responseValidation,
    compressResponses: config.compressResponses,
    slices,
    isUnavailable,
    isTextNotStorable,
    observer,
    log,
  });
  const responder = createResponder({
    failureResponse,
    slices,
    streamStallTimeoutMs: config.streamStallTimeoutMs,
    eventStreamQuietMs: config.eventStreamQuietMs,
    stopping,
    observer,
    log,
  });
  const pipeline = createPipeline({
    contract,
    loadShedding,
    rateLimit,
    cors,
    clientOf: createClientReader(createProxyTrust(config.trustProxy)),
    operations,
    responder,
  });
  const app = createApp({ cors, middleware, docs, pipeline, failureResponse, isUnavailable, observer, log });
  return {
    ...app,
    mounts,
    failureResponse,
    close,
    acceptsTokens: findSchemes(contract, checkers).tokens !== undefined,
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
 * Separates the rate limits of callers with the same name in several documents, if the application's own checkers
 * identified them.
 *
 * @param path the path of the document
 */
function countApart(rateLimit: RateLimit, checkers: object, path: string): RateLimit {
  return (caller, address) => {
    const isOwn = caller !== undefined && Object.hasOwn(checkers, caller.scheme);
    return rateLimit(isOwn ? { ...caller, scheme: `${path} ${caller.scheme}` } : caller, address);
  };
}

/**
 * Creates an observer that writes the log and updates the metrics.
 *
 * @param document the label of the document in the metrics, if there are several
 */
export function createObserver(metrics: Metrics, log: Logger, document?: string): Observer {
  // pino serializes the members of a child log once.
  const logOf = memoizeByObject((endpoint: Endpoint) => log.child(endpoint));
  return {
    answered(request, endpoint) {
      (endpoint === undefined ? log : logOf(endpoint)).info(request);
      metrics.answered(request, endpoint?.operationId, document);
    },
    rejected(rejection) {
      log.debug(rejection, 'request rejected');
    },
    sentInvalid(response) {
      log.warn(response, 'a response does not conform to the document');
      metrics.sentInvalid(response, document);
    },
    refused: metrics.refused,
  };
}
