import { InvalidRequest, NotAcceptable, NotImplemented } from '@contract-first/contract';
import { Overloaded } from '../accept/load-shedding.ts';
import { requestIdOf } from '../accept/request-ids.ts';
import { addVary } from '../headers/vary.ts';
import type { Exchange } from '../exchange.ts';
import { Failure, unavailableFailure, unexpectedFailure } from '../failure.ts';
import { TemporaryFolderUnavailable } from '../read/temporary-file.ts';
import { createDelivery, type DeliveryOptions } from './deliver.ts';
import { logError } from './report.ts';
import type { HandlerResponse } from './response.ts';

/** Ends exchanges: sends a response, then reports the outcome to the log and the metrics. */
export type Responder = {
  readonly respond: (exchange: Exchange, response: HandlerResponse) => void;
  /** Sends the response for the error of a step. */
  readonly fail: (exchange: Exchange, error: unknown) => void;
};

/** Expected errors, as opposed to bugs. */
const EXPECTED = [Failure, InvalidRequest, NotAcceptable, NotImplemented];

/** Creates the end of the pipeline. */
export function createResponder(options: DeliveryOptions): Responder {
  const { failureResponse, observer, log } = options;
  const deliver = createDelivery(options);
  return { respond, fail };

  function fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Overloaded) exchange.overload = error.reason;
    else if (!EXPECTED.some((kind) => error instanceof kind)) logError(log, exchange, error);
    const failure = toFailure(error);
    const { req, operationId, compiled } = exchange;
    const response = failureResponse(failure, compiled);
    const { status } = response;
    if (status < 500) observer.rejected({ requestId: requestIdOf(req), operationId, status, reason: failure.reason });
    respond(exchange, response);
  }

  function respond(exchange: Exchange, response: HandlerResponse): void {
    exchange.release();
    const { rateLimitFields, isNegotiated } = exchange;
    const { headers } = response;
    const vary = isNegotiated ? { vary: addVary(headers['vary'], 'Accept') } : undefined;
    exchange.response =
      rateLimitFields === undefined && vary === undefined
        ? response
        : { ...response, headers: { ...rateLimitFields, ...headers, ...vary } };
    deliver(exchange);
  }
}

/** Returns the failure for an error. The client never receives the cause. */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof InvalidRequest) return new Failure(400, error.message, {}, error.violations);
  if (error instanceof NotAcceptable) return new Failure(406, error.message);
  if (error instanceof NotImplemented) return new Failure(501, error.message);
  const isUnavailable = error instanceof Overloaded || error instanceof TemporaryFolderUnavailable;
  return isUnavailable ? unavailableFailure() : unexpectedFailure();
}
