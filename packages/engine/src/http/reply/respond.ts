import { nextTick } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { InvalidRequest, NotImplemented, type TimeSlices } from '@contract-first/contract';
import type { Logger } from 'pino';
import { Overloaded } from '../accept/load-shedding.ts';
import { readTraceContext, requestIdOf } from '../accept/trace.ts';
import type { Exchange } from '../exchange.ts';
import { Failure, unavailableFailure, unexpectedFailure } from '../failure.ts';
import type { AnsweredRequest, Observer } from '../observer.ts';
import { TemporaryFolderUnavailable } from '../read/temporary-file.ts';
import { isBodyStream, type BodyStream } from './body-stream.ts';
import type { FailureResponse } from './failure-response.ts';
import type { HandlerResponse, Response } from './response.ts';
import { send, sendStream } from './send.ts';

export type ResponderOptions = {
  readonly failureResponse: FailureResponse;
  /** The time slices that all streams share. */
  readonly slices: TimeSlices;
  /** How long a stream stays open while its client reads nothing. */
  readonly streamStallTimeoutMs: number;
  /** The time after which a quiet stream of events gets a comment; 0 for none. */
  readonly eventStreamQuietMs: number;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  readonly observer: Observer;
  readonly log: Logger;
};

/** Ends exchanges: sends a response, then reports the outcome to the log and the metrics. */
export type Responder = {
  readonly respond: (exchange: Exchange, response: HandlerResponse) => void;
  /** Sends the response for the error of a step. */
  readonly fail: (exchange: Exchange, error: unknown) => void;
};

/** Expected errors, as opposed to bugs. */
const EXPECTED = [Failure, InvalidRequest, NotImplemented];

/** Creates the end of the pipeline. */
export function createResponder(options: ResponderOptions): Responder {
  const { failureResponse, slices, streamStallTimeoutMs, eventStreamQuietMs, stopping, observer, log } = options;
  const sending = { slices, stallTimeoutMs: streamStallTimeoutMs, eventStreamQuietMs };
  let batch: Exchange[] = [];
  let turn: Promise<void> | undefined;
  return { respond, fail };

  function fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Overloaded) exchange.overload = error.reason;
    else if (!EXPECTED.some((kind) => error instanceof kind)) logError(exchange, error);
    const failure = toFailure(error);
    const { req, operationId, target } = exchange;
    const response = failureResponse(failure, target);
    const { status } = response;
    if (status < 500) observer.rejected({ requestId: requestIdOf(req), operationId, status, reason: failure.reason });
    respond(exchange, response);
  }

  function respond(exchange: Exchange, response: HandlerResponse): void {
    exchange.release();
    const { req, rateLimitFields } = exchange;
    exchange.response =
      rateLimitFields === undefined ? response : { ...response, headers: { ...rateLimitFields, ...response.headers } };
    // Batches early responses to the end of the turn, since each write wakes a client.
    if (req.complete) deliver(exchange);
    else
      void endOfTurn().then(() => {
        deliver(exchange);
      });
  }

  /**
   * Collects the responses of one step of the event loop, for example of requests that share a commit. Sends all of
   * them before it finishes any: each write wakes a client, and a client that is busy with the first response is not
   * woken again.
   */
  function deliver(exchange: Exchange): void {
    const { response } = exchange;
    if (isBodyStream(response?.body)) void stream(exchange, { ...response, body: response.body });
    else if (batch.push(exchange) === 1) nextTick(flush);
  }

  function flush(): void {
    const exchanges = batch;
    batch = [];
    for (const exchange of exchanges) sendWhole(exchange);
    for (const exchange of exchanges) finish(exchange);
  }

  function sendWhole(exchange: Exchange): void {
    try {
      send(exchange.req, exchange.res, exchange.response as Response); // Not a stream.
    } catch (error) {
      sendUnexpected(exchange, error);
    }
  }

  async function stream(exchange: Exchange, response: Response<BodyStream>): Promise<void> {
    try {
      exchange.isComplete = await sendUntilStop(exchange, response);
    } catch (error) {
      exchange.isComplete = !exchange.res.headersSent;
      sendUnexpected(exchange, error);
    }
    finish(exchange);
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

  function sendUnexpected(exchange: Exchange, error: unknown): void {
    logError(exchange, error);
    send(exchange.req, exchange.res, failureResponse(unexpectedFailure(), exchange.target));
  }

  function finish(exchange: Exchange): void {
    exchange.end();
    const outcome = outcomeOf(exchange);
    const { span, target, route, overload } = exchange;
    const endpoint = target && route?.endpoint;
    span?.end(outcome, endpoint?.route);
    if (overload === undefined) observer.answered(outcome, endpoint);
    else observer.refused(overload); // Logging each refused request would add load.
  }

  function logError({ req, operationId }: Exchange, err: unknown): void {
    log.error({ requestId: requestIdOf(req), operationId, err }, 'request failed');
  }

  /** Returns a promise that all requests of this turn of the event loop share. */
  function endOfTurn(): Promise<void> {
    turn ??= setImmediate().then(() => {
      turn = undefined;
    });
    return turn;
  }
}

/** Returns the failure for an error. The client never receives the cause. */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof InvalidRequest) return new Failure(400, error.message, {}, error.violations);
  if (error instanceof NotImplemented) return new Failure(501, error.message);
  const isUnavailable = error instanceof Overloaded || error instanceof TemporaryFolderUnavailable;
  return isUnavailable ? unavailableFailure() : unexpectedFailure();
}

function outcomeOf({ req, res, startedAt, caller, clientAddress, isComplete, span }: Exchange): AnsweredRequest {
  const traced = readTraceContext(req);
  return {
    requestId: requestIdOf(req),
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
