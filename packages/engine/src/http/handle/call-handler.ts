import {
  HandlerFailure,
  InvalidRequest,
  NotAcceptable,
  NotImplemented,
  PreconditionFailed,
  Unavailable,
  type Contract,
  type TimeSlices,
} from '@contract-first/contract';
import type { Logger } from 'pino';
import type { LoadShedding } from '../accept/load-shedding.ts';
import type { OriginOf } from '../accept/origin.ts';
import type { Exchange, RespondOnce } from '../exchange.ts';
import { unavailableFailure } from '../failure.ts';
import type { Observer } from '../observer.ts';
import type { Conversions } from '../read/codecs.ts';
import { awaitFirst, isBodyStream, type BodyStream } from '../reply/body-stream.ts';
import { createCompression, type Compression } from '../reply/compression.ts';
import { toReportedResponse } from '../reply/reported-response.ts';
import {
  isEventStream,
  toSendable,
  toResponse,
  type AnyReply,
  type HandlerResponse,
  type PreparedResponse,
} from '../reply/response.ts';
import type { CompiledOperation } from '../compiled-operation.ts';
import { preconditionFailure, type Conditions } from './conditions.ts';
import { throwDatabaseFailure, type DatabaseErrors } from './database-failure.ts';
import { HandlerRequest, replyWithin, type UrlOf } from './handler-request.ts';
import { operationUrl } from './operation-url.ts';
import type { ValidRequest } from './validate-request.ts';

/** A handler of any operation. */
export type AnyHandler = (request: never) => Promise<AnyReply>;

/** `enforce`: a reply that does not conform to the document is answered 500; `report`: it is logged and sent. */
export type ResponseValidation = 'enforce' | 'report';

export type CallOptions = DatabaseErrors & {
  readonly contract: Contract;
  /** By operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly conversions: Conversions;
  readonly loadShedding: LoadShedding;
  /** The time limit of handlers without `x-time-limit-ms`; 0 for none. */
  readonly handlerTimeoutMs: number;
  readonly responseValidation: ResponseValidation;
  /** Which operations may compress their responses. */
  readonly compressResponses: Compression;
  readonly originOf: OriginOf;
  /** The time slices that all streams share. */
  readonly slices: TimeSlices;
  readonly observer: Observer;
  readonly log: Logger;
};

/** Errors of a handler that are not bugs; `reply/respond.ts` has their statuses. */
const EXPECTED = [InvalidRequest, NotAcceptable, NotImplemented];

/** Creates the function that calls the handler of an operation with a valid request, and validates its reply. */
export function createHandlerCall(
  compiled: CompiledOperation,
  conditions: Conditions | undefined,
  options: CallOptions,
): (exchange: Exchange, valid: ValidRequest) => Promise<HandlerResponse> {
  const { contract, handlers, conversions, loadShedding, originOf, slices, log } = options;
  const { operationId, timeLimitMs = options.handlerTimeoutMs } = compiled.operation;
  const handler = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
  const convert = createConversion(compiled, options);
  const compress = createCompression(options.compressResponses, compiled.operation);
  const urlOf: UrlOf = (exchange, id, parameters) =>
    operationUrl(contract, conversions.formats, exchange, originOf(exchange.req, exchange.client), id, parameters);
  return (exchange, valid) => {
    if (handler === undefined) throw new NotImplemented(operationId);
    loadShedding.enter(); // Other requests may have entered while the body of this request arrived.
    const request = new HandlerRequest(valid, exchange, log, urlOf);
    exchange.request = request;
    const { respondOnce } = exchange;
    if (respondOnce !== undefined) {
      const responding = inTime(callOnce(respondOnce, handler, exchange, request), request);
      return compress === undefined ? responding : responding.then((response) => compress(exchange.req, response));
    }
    // The request counts as in flight until the handler settles, even after the time limit.
    return inTime(call(handler, request, loadShedding.leave), request).then((reply) => {
      const response = toConforming(exchange, reply);
      const { body } = response;
      if (!isBodyStream(body)) return compress === undefined ? response : compress(exchange.req, response);
      const started = whenStarted(exchange, request, { ...response, body });
      return compress === undefined ? started : started.then((stream) => compress(exchange.req, stream));
    });
  };

  /** Calls the handler. @param onSettled called when the handler has returned or thrown */
  async function call(handle: AnyHandler, request: HandlerRequest, onSettled?: () => void): Promise<AnyReply> {
    try {
      return await handle(request as never); // The validator has checked the type of the handler.
    } catch (error) {
      return replyOf(error, request);
    } finally {
      onSettled?.();
    }
  }

  /** Calls the handler once for the key of the request, in the transaction that keeps its response. */
  async function callOnce(
    respondOnce: RespondOnce,
    handle: AnyHandler,
    exchange: Exchange,
    request: HandlerRequest,
  ): Promise<HandlerResponse> {
    let handling: Promise<AnyReply> | undefined;
    try {
      return await respondOnce(async () => {
        handling = call(handle, request);
        return toConforming(exchange, await handling);
      });
    } catch (error) {
      throwDatabaseFailure(error, request, options);
      throw error;
    } finally {
      // The transaction may reach its time limit before the handler has settled.
      void Promise.allSettled([handling]).then(loadShedding.leave);
    }
  }

  /** Returns the reply of a failure that the handler has thrown; throws the failure of any other error. */
  function replyOf(error: unknown, request: HandlerRequest): AnyReply {
    if (error instanceof HandlerFailure) return error.reply as AnyReply; // Validated like a returned reply.
    if (EXPECTED.some((kind) => error instanceof kind)) throw error;
    if (error instanceof PreconditionFailed) throw preconditionFailure();
    if (error instanceof Unavailable) throw unavailableFailure();
    throwDatabaseFailure(error, request, options);
    // Wrapped, so that a Failure thrown by a handler counts as a bug.
    throw new Error(`the handler of ${operationId} threw`, { cause: error });
  }

  function toConforming({ req }: Exchange, reply: AnyReply): HandlerResponse {
    return convert(conditions === undefined ? reply : conditions.apply(req, reply));
  }

  function inTime<Result>(result: Promise<Result>, request: HandlerRequest): Promise<Result> {
    return timeLimitMs === 0 ? result : replyWithin(timeLimitMs, result, request);
  }

  /** Waits for the first chunk of a stream, so that an early error can still become an error response. */
  async function whenStarted(
    exchange: Exchange,
    request: ValidRequest,
    response: PreparedResponse<BodyStream>,
  ): Promise<HandlerResponse> {
    try {
      exchange.openStream();
      if (isEventStream(response.headers)) return response;
      await slices.wait(true);
      return { ...response, body: await awaitFirst(response.body) };
    } catch (error) {
      response.body.cancel();
      throwDatabaseFailure(error, request, options);
      throw error;
    }
  }
}

/** Creates the function that validates and converts the replies of an operation. */
function createConversion(
  compiled: CompiledOperation,
  { conversions, observer, responseValidation }: CallOptions,
): (reply: AnyReply) => HandlerResponse {
  if (responseValidation === 'enforce') return (reply) => toSendable(toResponse(compiled, reply, conversions));
  const { operationId } = compiled.operation;
  const report = ({ message: problem }: Error): void => {
    observer.sentInvalid({ operationId, problem });
  };
  return (reply) => toSendable(toReportedResponse(compiled, reply, conversions, report));
}
