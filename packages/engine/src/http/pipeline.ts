import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  bodyLimitOf,
  type Contract,
  HandlerFailure,
  InvalidRequest,
  type InvalidResponse,
  kindOf,
  NotImplemented,
  type Operation,
  TimeSlices,
  Unavailable,
  type Validators,
} from '@contract-first/contract';
import type { Logger } from 'pino';
import type { Authenticate } from '../auth/authenticator.ts';
import { type Cors, isPreflight } from './accept/cors.ts';
import { findViolation, readTarget } from './accept/http-rules.ts';
import { type LoadShedding, Overloaded } from './accept/load-shedding.ts';
import { createRequestSpans, type RequestSpan } from './accept/request-span.ts';
import { readTraceContext, requestIdOf } from './accept/trace.ts';
import { findCaller, RequestCredentials } from './authenticate/find-caller.ts';
import type { RateLimit } from './authenticate/rate-limit.ts';
import { Exchange } from './exchange.ts';
import { Failure, unavailableFailure, unexpectedFailure } from './failure.ts';
import { HandlerRequest, replyWithin, type UrlOf } from './handle/handler-request.ts';
import { findNullCharacters } from './handle/null-characters.ts';
import { operationUrl } from './handle/operation-url.ts';
import { validateWhole } from './handle/validate-request.ts';
import type { AnsweredRequest, Observer, OverloadReason } from './observer.ts';
import { readBody, type RequestBody } from './read/body.ts';
import type { Conversions } from './read/codecs.ts';
import { readParameters } from './read/parameters.ts';
import { TemporaryFolderUnavailable } from './read/temporary-file.ts';
import { awaitFirst, type BodyStream, isBodyStream } from './reply/body-stream.ts';
import type { FailureResponse } from './reply/failure-response.ts';
import { toReportedResponse } from './reply/reported-response.ts';
import { ResponseBatch } from './reply/response-batch.ts';
import {
  type AnyReply,
  type HandlerResponse,
  isEventStream,
  type Response,
  toFinal,
  toResponse,
} from './reply/response.ts';
import { send, sendStream } from './reply/send.ts';
import { createRouter, type Target } from './router.ts';

/** Expected errors, as opposed to bugs. */
const EXPECTED = [Failure, InvalidRequest, NotImplemented];

/** A handler of any operation. */
export type AnyHandler = (request: never) => Promise<AnyReply>;

/** `enforce`: a reply that does not conform to the document is answered 500; `report`: it is logged and sent. */
export type ResponseValidation = 'enforce' | 'report';

export type PipelineOptions = {
  readonly contract: Contract;
  readonly validators: Validators;
  /** By operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly conversions: Conversions;
  readonly failureResponse: FailureResponse;
  /** Returns the function that authenticates the requests to an operation. */
  readonly authenticatorOf: (operation: Operation) => Authenticate;
  /** Returns whether the error of a handler means that its database is unavailable for now: 503 instead of 500. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Returns whether the error of a handler means that its database cannot store a string with U+0000. */
  readonly isTextNotStorable: (error: unknown) => boolean;
  readonly loadShedding: LoadShedding;
  readonly rateLimit: RateLimit | undefined;
  readonly bodyLimitBytes: number;
  readonly responseValidation: ResponseValidation;
  /** How long a stream stays open while its client reads nothing. */
  readonly streamStallTimeoutMs: number;
  readonly cors: Cors | undefined;
  /** Returns the address of the client; `undefined` when the socket is closed. */
  readonly clientAddressOf: (req: IncomingMessage) => string | undefined;
  /** Returns the base URL at which the client reaches the service: `https://api.example.com`. */
  readonly originOf: (req: IncomingMessage) => string;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  readonly observer: Observer;
  readonly log: Logger;
};

/** The parts of an operation that are created on its first request. */
type Plan = {
  readonly authenticate: Authenticate;
  readonly apiKeysInQuery: ReadonlySet<string>;
};

/** A response and its request. */
type Outgoing = {
  readonly exchange: Exchange;
  readonly response: HandlerResponse;
  /** Whether the whole stream was sent. */
  isComplete: boolean;
  readonly overload: OverloadReason | undefined;
  readonly span: RequestSpan | undefined;
};

/**
 * Creates the request pipeline: shed load, check the message, route, authenticate, limit the rate, read the body,
 * validate, handle, respond.
 *
 * @returns a request listener that answers every request, also usable as Express middleware
 */
export function createPipeline(options: PipelineOptions) {
  const { contract, validators, handlers, authenticatorOf, isUnavailable, loadShedding, bodyLimitBytes } = options;
  const { streamStallTimeoutMs, rateLimit, failureResponse, clientAddressOf, cors, stopping, observer, log } = options;
  const { responseValidation, originOf, conversions, isTextNotStorable } = options;
  const route = createRouter(contract);
  const plans = new Map<Operation, Plan>();
  const startSpan = createRequestSpans();
  const batch = new ResponseBatch<Outgoing>(sendWhole, finish);
  const urlOf: UrlOf = (exchange, operationId, parameters) =>
    operationUrl(contract, conversions.formats, exchange, originOf(exchange.req), operationId, parameters);
  const sending = { slices: new TimeSlices(), stallTimeoutMs: streamStallTimeoutMs };
  let turn: Promise<void> | undefined;
  return (req: IncomingMessage, res: ServerResponse): void => {
    const clientAddress = clientAddressOf(req);
    const exchange = new Exchange(req, res, clientAddress, loadShedding);
    const span = startSpan?.(req, clientAddress);
    if (span === undefined) void respond(exchange);
    else span.run(() => void respond(exchange, span));
  };

  async function respond(exchange: Exchange, span?: RequestSpan): Promise<void> {
    const { req, res } = exchange;
    let response: HandlerResponse;
    let overload: OverloadReason | undefined;
    try {
      response = await serve(exchange);
    } catch (thrown) {
      const error = rateLimit === undefined ? thrown : await limitRejections(exchange, thrown);
      if (error instanceof Overloaded) overload = error.reason;
      else if (!EXPECTED.some((kind) => error instanceof kind)) logError(exchange, error);
      const failure = toFailure(error);
      const { operationId } = exchange;
      response = failureResponse(failure, exchange.target);
      const { status } = response;
      if (status < 500) observer.rejected({ requestId: requestIdOf(req), operationId, status, reason: failure.reason });
    }
    const { rateLimitFields } = exchange;
    if (rateLimitFields !== undefined) response = { ...response, headers: { ...rateLimitFields, ...response.headers } };
    // Batches early responses to the end of the turn, since each write wakes a client. By then, a body sent together
    // with its header has arrived, so the connection can be kept alive.
    if (!req.complete) await endOfTurn();
    const outgoing = { exchange, response, isComplete: true, overload, span };
    if (!isStream(response)) {
      batch.add(outgoing);
      return;
    }
    try {
      outgoing.isComplete = await sendUntilStop(exchange, response);
    } catch (error) {
      outgoing.isComplete = !res.headersSent;
      sendUnexpected(exchange, error);
    }
    finish(outgoing);
  }

  function sendWhole({ exchange, response }: Outgoing): void {
    try {
      send(exchange.req, exchange.res, response as Response); // Streams are sent by sendUntilStop().
    } catch (error) {
      sendUnexpected(exchange, error);
    }
  }

  function sendUnexpected(exchange: Exchange, error: unknown): void {
    logError(exchange, error);
    send(exchange.req, exchange.res, failureResponse(unexpectedFailure(), exchange.target));
  }

  function finish({ exchange, isComplete, overload, span }: Outgoing): void {
    exchange.end();
    const outcome = outcomeOf(exchange, isComplete, span);
    span?.end(outcome);
    if (overload === undefined) observer.answered(outcome);
    else observer.refused(overload); // Logging each refused request would add load.
  }

  async function serve(exchange: Exchange): Promise<HandlerResponse> {
    const { req, res } = exchange;
    const needsPermission = cors !== undefined && isPreflight(req);
    // A preflight is not refused: the browser would then hide the 503 of the actual request from the page.
    if (!needsPermission) loadShedding.check();
    const violation = findViolation(req);
    if (violation !== undefined) {
      res.shouldKeepAlive = false;
      throw violation;
    }
    const permitted = needsPermission ? cors.permitAll(req) : undefined;
    if (permitted !== undefined) return { status: 204, headers: permitted, body: undefined };
    const { path, query } = readTarget(req);
    const routed = route(req.method ?? '', path);
    if ('allow' in routed) {
      if (!needsPermission) await limitRate(exchange);
      const permission = needsPermission ? cors.permit(req, routed) : {};
      return { status: 204, headers: { allow: routed.allow, ...permission }, body: undefined };
    }
    if (needsPermission) loadShedding.check(); // The document has an OPTIONS operation, which handles the preflight.
    const { operation, template } = routed;
    const isOpening = mayStream(operation) ? sending.slices.wait(true) : undefined;
    if (isOpening !== undefined) await isOpening;
    const validator = validators.get(operation) ?? (await validators.compile(operation));
    const { authenticate, apiKeysInQuery } = planOf(operation);
    const target = { operation, validator, route: template, path };
    exchange.target = target;
    // After this await, a body sent together with its header has arrived.
    exchange.caller = await findCaller(authenticate, new RequestCredentials(req, query));
    if (rateLimit !== undefined) await limitRate(exchange);
    const parameters = readParameters(operation, { path: routed.path, query, headers: req.headers }, apiKeysInQuery);
    exchange.parameters = parameters;
    exchange.limitBytes = bodyLimitOf(operation, bodyLimitBytes);
    exchange.fieldsLimitBytes = bodyLimitBytes;
    try {
      let body: RequestBody | Failure | undefined;
      try {
        // Each await allocates objects that live as long as the request, so only promises are awaited.
        const reading = readBody(req, operation, exchange, conversions.codecs);
        body = reading instanceof Promise ? await reading : reading;
      } catch (error) {
        body = returnMalformed(error);
      }
      const validating = validateWhole(target, parameters, body, conversions);
      const valid = validating instanceof Promise ? await validating : validating;
      const request = new HandlerRequest(valid, exchange, log, urlOf);
      exchange.request = request;
      const response = convert(target, await handle(operation, request));
      return isStream(response) ? await whenStarted(exchange, request, response) : response;
    } finally {
      exchange.release();
    }
  }

  /** Counts a request for its caller or else its address. @throws {Failure} 429 beyond the rate limit */
  async function limitRate(exchange: Exchange): Promise<void> {
    if (rateLimit === undefined) return;
    const { fields, failure } = await rateLimit(exchange.caller, exchange.clientAddress);
    exchange.rateLimitFields = fields;
    if (failure !== undefined) throw failure;
  }

  /** Counts a request that was rejected before authentication. Returns its error, or 429 beyond the rate limit. */
  async function limitRejections(exchange: Exchange, error: unknown): Promise<unknown> {
    const isCounted = exchange.rateLimitFields !== undefined || (cors !== undefined && isPreflight(exchange.req));
    if (isCounted || !(error instanceof Failure) || error.status >= 500) return error;
    return limitRate(exchange).then(
      () => error,
      (failure: unknown) => failure,
    );
  }

  function convert(target: Target, reply: AnyReply): HandlerResponse {
    if (responseValidation === 'enforce') return toFinal(toResponse(target, reply, conversions));
    const report = ({ message: problem }: InvalidResponse): void => {
      observer.sentInvalid({ operationId: target.operation.operationId, problem });
    };
    return toFinal(toReportedResponse(target, reply, conversions, report));
  }

  function handle({ operationId, timeLimitMs }: Operation, request: HandlerRequest): Promise<AnyReply> {
    const handler = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
    if (handler === undefined) throw new NotImplemented(operationId);
    loadShedding.enter(); // Other requests may have entered while the body of this request arrived.
    const reply = run(operationId, handler, request);
    return timeLimitMs === undefined ? reply : replyWithin(timeLimitMs, reply, request);
  }

  /** Runs a handler. The request counts as in flight until the handler settles, even after the time limit. */
  async function run(operationId: string, handler: AnyHandler, request: HandlerRequest): Promise<AnyReply> {
    try {
      return await handler(request as never); // The validator has checked the type of the handler.
    } catch (error) {
      if (error instanceof HandlerFailure) return error.reply as AnyReply; // Validated like a returned reply.
      if (error instanceof NotImplemented || error instanceof InvalidRequest) throw error;
      if (error instanceof Unavailable || isUnavailable(error)) throw unavailableFailure();
      rejectNullCharacters(request, error);
      // Wrapped, so that a Failure thrown by a handler counts as a bug.
      throw new Error(`the handler of ${operationId} threw`, { cause: error });
    } finally {
      loadShedding.leave();
    }
  }

  /** Waits for the first chunk of a stream, so that an early error can still become an error response. */
  async function whenStarted(
    exchange: Exchange,
    request: HandlerRequest,
    response: Response<BodyStream>,
  ): Promise<HandlerResponse> {
    try {
      exchange.openStream();
      if (isEventStream(response.headers)) return response;
      await sending.slices.wait(true);
      return { ...response, body: await awaitFirst(response.body) };
    } catch (error) {
      response.body.cancel();
      if (isUnavailable(error)) throw unavailableFailure();
      rejectNullCharacters(request, error);
      throw error;
    }
  }

  /** @throws {InvalidRequest} when the database rejected a string with U+0000 from the request */
  function rejectNullCharacters(request: HandlerRequest, error: unknown): void {
    const violations = isTextNotStorable(error) ? findNullCharacters(request) : [];
    if (violations.length > 0) throw new InvalidRequest(violations);
  }

  /** Sends a stream. Aborts the signal of the request when the service stops, so that an endless stream can end. */
  async function sendUntilStop({ req, res, request }: Exchange, response: Response<BodyStream>): Promise<boolean> {
    const onStop = (): void => request?.cancel(new Error('the service is stopping'));
    if (stopping.aborted) onStop();
    stopping.addEventListener('abort', onStop, { once: true });
    try {
      return await sendStream(req, res, response, sending);
    } finally {
      stopping.removeEventListener('abort', onStop);
    }
  }

  function logError({ req, operationId }: Exchange, err: unknown): void {
    log.error({ requestId: requestIdOf(req), operationId, err }, 'request failed');
  }

  function planOf(operation: Operation): Plan {
    const cached = plans.get(operation);
    if (cached !== undefined) return cached;
    const schemes = operation.security.flat().map(({ scheme }) => contract.securitySchemes[scheme]);
    const keys = schemes.flatMap((scheme) => (scheme?.in === 'query' ? (scheme.name ?? []) : []));
    const plan = {
      authenticate: authenticatorOf(operation),
      apiKeysInQuery: new Set(keys),
    };
    plans.set(operation, plan);
    return plan;
  }

  /** Returns a promise that all requests of this turn of the event loop share. */
  function endOfTurn(): Promise<void> {
    turn ??= setImmediate().then(() => {
      turn = undefined;
    });
    return turn;
  }
}

/** Whether a response of an operation may be a stream: its body is bytes, text or a sequence. */
function mayStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ mediaTypes, sequentialTypes = [] }) =>
    mediaTypes.some((mediaType) => kindOf(mediaType) !== 'json' || sequentialTypes.includes(mediaType)),
  );
}

function isStream(response: HandlerResponse): response is Response<BodyStream> {
  return isBodyStream(response.body);
}

function outcomeOf(exchange: Exchange, isComplete: boolean, span: RequestSpan | undefined): AnsweredRequest {
  const { req, res, target, startedAt, caller, clientAddress } = exchange;
  const traced = readTraceContext(req);
  return {
    requestId: requestIdOf(req),
    operationId: target?.operation.operationId,
    route: target?.route,
    method: req.method,
    status: res.headersSent ? res.statusCode : undefined,
    isIncomplete: isComplete ? undefined : true,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    caller: caller?.name,
    clientAddress,
    traceId: span?.ids.traceId ?? traced?.traceId,
    parentId: traced?.parentId,
    spanId: span?.ids.spanId,
  };
}

/** Returns the failure of a malformed body, to report it with the violations of the parameters; throws other errors. */
function returnMalformed(error: unknown): Failure {
  if (error instanceof Failure && error.violations.length > 0) return error;
  throw error;
}

/** Returns the failure for an error. The client never receives the cause. */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof InvalidRequest) return new Failure(400, error.message, {}, error.violations);
  if (error instanceof NotImplemented) return new Failure(501, error.message);
  const isUnavailable = error instanceof Overloaded || error instanceof TemporaryFolderUnavailable;
  return isUnavailable ? unavailableFailure() : unexpectedFailure();
}
