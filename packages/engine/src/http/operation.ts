import { bodyLimitOf, kindOf, type Operation, type TimeSlices, type Validators } from '@contract-first/contract';
import { createAuthentication, type AuthenticationOptions } from './authenticate/authentication.ts';
import { countRequest, type RateLimit } from './authenticate/rate-limit.ts';
import type { Exchange, Step } from './exchange.ts';
import { Failure } from './failure.ts';
import { createHandlerCall, type CallOptions } from './handle/call-handler.ts';
import { conditionsOf, type Conditions } from './handle/conditions.ts';
import { createNegotiationStep } from './handle/negotiation.ts';
import { createIdempotencyStep, type IdempotencyOptions } from './handle/idempotency.ts';
import { validateWhole } from './handle/validate-request.ts';
import { readBody } from './read/body.ts';
import { NO_CODINGS, REQUEST_CODINGS } from './read/decompression.ts';
import { readParameters, withFreeFormLast } from './read/parameters.ts';
import { removeCodings } from './reply/compression.ts';
import type { HandlerResponse } from './reply/response.ts';
import type { CompiledOperation } from './compiled-operation.ts';

/** Answers the requests to one operation. Throws or rejects with the error of the failed step. */
export type ServeOperation = (exchange: Exchange) => HandlerResponse | Promise<HandlerResponse>;

export type OperationOptions = AuthenticationOptions &
  CallOptions &
  IdempotencyOptions & {
    readonly validators: Validators;
    readonly rateLimit: RateLimit | undefined;
    readonly bodyLimitBytes: number;
    /** Whether request bodies may be compressed. */
    readonly decompressRequests: boolean;
    /** The time slices that all streams share. */
    readonly slices: TimeSlices;
  };

/**
 * Returns a function that compiles an operation on its first request. Decides everything that depends on the document:
 * an operation has only the steps that its document asks for.
 */
export function createOperations(
  options: OperationOptions,
): (operation: Operation) => ServeOperation | Promise<ServeOperation> {
  const { validators } = options;
  const authenticationOf = createAuthentication(options);
  const serveByOperation = new Map<Operation, ServeOperation>();
  return (operation) => {
    const known = serveByOperation.get(operation);
    if (known !== undefined) return known;
    return validators.compile(operation).then((validator) => {
      const serve =
        serveByOperation.get(operation) ?? composeSteps({ operation, validator }, authenticationOf(operation), options);
      serveByOperation.set(operation, serve);
      return serve;
    });
  };
}

/** Composes the steps that prepare a request to an operation, then the call of its handler. */
function composeSteps(
  compiled: CompiledOperation,
  authenticate: Step | undefined,
  options: OperationOptions,
): ServeOperation {
  const { operation } = compiled;
  const { rateLimit, slices, conversions } = options;
  const conditions = conditionsOf(operation);
  const mayHaveBody = operation.requestBody !== undefined || operation.method === 'PUT';
  const steps = [
    mayStream(operation) ? () => slices.wait(true) : undefined,
    authenticate,
    rateLimit && ((exchange: Exchange) => countRequest(rateLimit, exchange)),
    createNegotiationStep(operation),
    options.compressResponses === 'off' ? undefined : removeCodingsStep,
    createPreconditionStep(conditions),
    createParameterStep(operation, options),
    mayHaveBody ? createBodyStep(operation, options) : undefined,
    createIdempotencyStep(compiled, options),
  ].filter((step) => step !== undefined);
  const call = createHandlerCall(compiled, conditions, options);
  return (exchange) => {
    exchange.compiled = compiled;
    return serve(exchange, 0);
  };

  function serve(exchange: Exchange, first: number): HandlerResponse | Promise<HandlerResponse> {
    for (let index = first; index < steps.length; index += 1) {
      const waiting = steps[index]?.(exchange);
      if (waiting !== undefined) return serveAfter(waiting, exchange, index + 1);
    }
    const valid = validateWhole(compiled, exchange.parameters, exchange.body, conversions);
    return valid instanceof Promise ? valid : call(exchange, valid);
  }

  /** Not within `serve`, where a closure would cost a context for each step that does not wait. */
  async function serveAfter(waiting: Promise<void>, exchange: Exchange, next: number): Promise<HandlerResponse> {
    await waiting;
    return serve(exchange, next);
  }
}

/** Whether a response of an operation may be a stream: its body is bytes, text or a sequence. */
function mayStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ mediaTypes, sequentialTypes = [] }) =>
    mediaTypes.some((mediaType) => kindOf(mediaType) !== 'json' || sequentialTypes.includes(mediaType)),
  );
}

function removeCodingsStep({ req }: Exchange): undefined {
  removeCodings(req);
}

function createPreconditionStep(conditions: Conditions | undefined): Step | undefined {
  return (
    conditions &&
    ((exchange) => {
      conditions.require(exchange.req);
      return undefined;
    })
  );
}

function createParameterStep(operation: Operation, { contract }: OperationOptions): Step {
  const schemes = operation.security.flat().map(({ scheme }) => contract.securitySchemes[scheme]);
  const apiKeys = new Set(schemes.flatMap((scheme) => (scheme?.in === 'query' ? (scheme.name ?? []) : [])));
  const hasParameters = operation.parameters.length > 0;
  const ordered = withFreeFormLast(operation);
  return (exchange) => {
    const { query, route, req } = exchange;
    // Without documented parameters, a query is invalid.
    if (hasParameters || query !== '')
      exchange.parameters = readParameters(ordered, { path: route?.path ?? {}, query, headers: req.headers }, apiKeys);
    return undefined;
  };
}

function createBodyStep(
  operation: Operation,
  { bodyLimitBytes, decompressRequests, conversions }: OperationOptions,
): Step {
  const codings = decompressRequests ? REQUEST_CODINGS : NO_CODINGS;
  const limitBytes = bodyLimitOf(operation, bodyLimitBytes);
  return (exchange) => {
    exchange.limitBytes = limitBytes;
    exchange.fieldsLimitBytes = bodyLimitBytes;
    try {
      const body = readBody(exchange.req, operation, exchange, conversions.codecs, codings);
      if (body instanceof Promise) return body.catch(returnMalformed).then((read) => void (exchange.body = read));
      exchange.body = body;
    } catch (error) {
      exchange.body = returnMalformed(error);
    }
    return undefined;
  };
}

/** Returns the failure of a malformed body, to report it with the violations of the parameters; throws other errors. */
function returnMalformed(error: unknown): Failure {
  if (error instanceof Failure && error.violations.length > 0) return error;
  throw error;
}
