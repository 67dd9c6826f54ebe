import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Authenticate } from '../auth/authenticator.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/operation.ts';
import { createValidator, type OperationValidator } from '../contract/validator.ts';
import { Overloaded, type LoadShedding } from './load-shedding.ts';
import { failureResponse, toResponse, send, type Response, type AnyReply } from './response.ts';
import { readBody } from './body.ts';
import { Failure, unavailableFailure, unexpectedFailure } from './failure.ts';
import { findViolation, readTarget } from './message.ts';
import type { Observer, OverloadReason } from './observer.ts';
import { parsePairs, type Pair } from './pairs.ts';
import { readParameters } from './parameters.ts';
import { validateRequest, type ValidRequest } from './validate-request.ts';
import { createRouter } from './router.ts';
import { readTraceContext, requestIdOf } from './trace.ts';

/** A handler of any operation. */
export type AnyHandler = (request: never) => Promise<AnyReply>;

export type PipelineOptions = {
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Returns the function that authenticates the requests to an operation. */
  readonly authenticatorOf: (operation: Operation) => Authenticate;
  /** Returns whether an error means that a dependency is unavailable for now: 503 instead of 500. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly loadShedding: LoadShedding;
  readonly bodyLimitBytes: number;
  /** The address of the client that a request comes from. */
  readonly clientAddressOf: (req: IncomingMessage) => string | undefined;
  readonly observer: Observer;
  readonly log: Logger;
};

type Served = {
  readonly operation: Operation | undefined;
  readonly caller: string | undefined;
  readonly answer: Response;
  /** The limit that was reached: the request is counted, not logged. */
  readonly refusal?: OverloadReason;
};
/** The parts of an operation that are compiled with its first request. */
type Plan = {
  readonly authenticate: Authenticate;
  readonly apiKeysInQuery: ReadonlySet<string>;
  readonly validator: OperationValidator;
};
type HandlerRequest = ValidRequest & { readonly caller: string | undefined };

const REFUSED = { operation: undefined, caller: undefined, answer: failureResponse(unavailableFailure()) };

/**
 * Creates the path of a request: shed load, check the message, route, authenticate, read the body, validate, handle, respond.
 *
 * @returns a request listener that answers every request, also usable as Express middleware
 */
export function createPipeline(options: PipelineOptions) {
  const { contract, handlers, authenticatorOf, isUnavailable, loadShedding, bodyLimitBytes, observer, log } = options;
  const route = createRouter(contract);
  const plans = new Map<Operation, Plan>();
  let turn: Promise<void> | undefined;
  return (req: IncomingMessage, res: ServerResponse): void => {
    void respond(req, res);
  };

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const clientAddress = options.clientAddressOf(req); // A closed socket has no address.
    const { operation, caller, answer, refusal } = refuse() ?? (await serve(req, res));
    // Early responses are sent together at the end of the turn, since each write wakes a client. A body that came with its
    // header has arrived by then, and its connection can be kept.
    if (!req.complete) await endOfTurn();
    sendOrFail(req, res, answer);
    if (refusal !== undefined) {
      observer.refused(refusal);
      return;
    }
    observer.answered({
      requestId: requestIdOf(req),
      operationId: operation?.operationId,
      method: req.method,
      status: res.headersSent ? res.statusCode : undefined,
      durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
      caller,
      clientAddress,
      ...readTraceContext(req),
    });
  }

  function refuse(): Served | undefined {
    const refusal = loadShedding.overloadReason();
    return refusal && { ...REFUSED, refusal };
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<Served> {
    let operation, caller;
    let reservedBytes = 0;
    try {
      const violation = findViolation(req);
      if (violation !== undefined) {
        res.shouldKeepAlive = false;
        throw violation;
      }
      const { path, query } = readTarget(req);
      const routed = route(req.method ?? '', path);
      if ('allow' in routed) return { operation, caller, answer: { status: 204, headers: routed, body: undefined } };
      operation = routed.operation;
      const { authenticate, apiKeysInQuery, validator } = planOf(operation);
      caller = await findCaller(authenticate, readCredentials(req, query));
      const source = { path: routed.path, query, headers: req.headers };
      const parameters = readParameters(operation, source, apiKeysInQuery);
      const reserve = (bytes: number): void => {
        loadShedding.reserve(bytes - reservedBytes);
        reservedBytes = bytes;
      };
      const body = await readBody(req, operation, { limitBytes: bodyLimitBytes, reserve }, () => {
        sendContinue(req, res);
      });
      const valid = validateRequest(operation, validator, parameters, body, contract.int64Shapes);
      const refused = refuse(); // Other requests may have arrived before this body.
      if (refused !== undefined) return refused;
      const reply = await handle(operation, { ...valid, caller });
      return { operation, caller, answer: await toResponse(operation, validator, reply) };
    } catch (error) {
      if (error instanceof Overloaded) return { ...REFUSED, refusal: error.reason };
      const failure = error instanceof Failure ? error : unexpectedFailure();
      if (failure !== error) {
        log.error({ requestId: requestIdOf(req), operationId: operation?.operationId, err: error }, 'request failed');
      }
      return { operation, caller, answer: failureResponse(failure) };
    } finally {
      loadShedding.release(reservedBytes);
    }
  }

  async function findCaller(authenticate: Authenticate, credentials: Credentials): Promise<string | undefined> {
    let verdict;
    try {
      verdict = await authenticate(credentials);
    } catch (error) {
      throw isUnavailable(error) ? unavailableFailure() : error;
    }
    if ('caller' in verdict) return verdict.caller;
    const { challenge } = verdict;
    const message = challenge.startsWith('Bearer')
      ? 'send one valid bearer token: Authorization: Bearer <ACCESS_TOKEN>'
      : 'send a valid API key';
    throw new Failure(401, message, { 'www-authenticate': challenge });
  }

  async function handle({ operationId }: Operation, request: HandlerRequest): Promise<AnyReply> {
    const handler = Object.hasOwn(handlers, operationId) ? handlers[operationId] : undefined;
    if (handler === undefined) throw new Failure(501, `${operationId} is not implemented yet`);
    loadShedding.enter();
    try {
      return await handler(request as never); // The validator has checked the type of the handler.
    } catch (error) {
      if (isUnavailable(error)) throw unavailableFailure();
      // A bug, even if it looks like a failure of the pipeline.
      throw new Error(`the handler of ${operationId} threw`, { cause: error });
    } finally {
      loadShedding.leave();
    }
  }

  function sendOrFail(req: IncomingMessage, res: ServerResponse, answer: Response): void {
    try {
      send(req, res, answer);
    } catch (error) {
      log.error({ requestId: requestIdOf(req), err: error }, 'the answer could not be sent');
      send(req, res, failureResponse(unexpectedFailure()));
    }
  }

  function planOf(operation: Operation): Plan {
    const known = plans.get(operation);
    if (known !== undefined) return known;
    const schemes = operation.security.flat().map((name) => contract.securitySchemes[name]);
    const keys = schemes.flatMap((scheme) => (scheme?.in === 'query' ? (scheme.name ?? []) : []));
    const plan = {
      authenticate: authenticatorOf(operation),
      apiKeysInQuery: new Set(keys),
      validator: createValidator(contract.document, operation),
    };
    plans.set(operation, plan);
    return plan;
  }

  /** Returns one promise for all requests of this turn of the event loop. */
  function endOfTurn(): Promise<void> {
    turn ??= setImmediate().then(() => {
      turn = undefined;
    });
    return turn;
  }
}

/** Sends 100 Continue to a client that waits for it; HTTP/1.0 has no 100 (RFC 9110, 10.1.1). */
function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.expect !== undefined && req.httpVersionMinor > 0 && !req.complete) res.writeContinue();
}

function readCredentials({ headers, rawHeaders }: IncomingMessage, query: string): Credentials {
  const isAuthorization = (name: string, index: number): boolean =>
    index % 2 === 0 && name.length === 13 && name.toLowerCase() === 'authorization';
  const find = (pairs: readonly Pair[], name: string): string | undefined =>
    pairs.find((pair) => pair.name === name)?.decoded();
  return {
    // Node would ignore all but the first of several headers.
    authorization: rawHeaders.filter(isAuthorization).length === 1 ? headers.authorization : undefined,
    header: (name) =>
      Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()]?.toString() : undefined,
    query: (name) => find(parsePairs(query, '&'), name),
    cookie: (name) => find(parsePairs(headers.cookie ?? '', ';'), name),
  };
}
