import type { IncomingMessage, ServerResponse } from 'node:http';
import { nextTick } from 'node:process';
import type { Contract, Operation } from '@contract-first/contract';
import type { Client } from './accept/client-address.ts';
import { isPreflight, type Cors } from './accept/cors.ts';
import { findViolation, readTarget } from './accept/http-rules.ts';
import type { LoadShedding } from './accept/load-shedding.ts';
import { createRequestSpans } from './accept/request-span.ts';
import { countRequest, type RateLimit } from './authenticate/rate-limit.ts';
import { Exchange } from './exchange.ts';
import { Failure } from './failure.ts';
import type { ServeOperation } from './operation.ts';
import type { Responder } from './reply/respond.ts';
import type { HandlerResponse } from './reply/response.ts';
import { createRouter, type AllowedMethods } from './router.ts';

type PipelineOptions = {
  readonly contract: Contract;
  readonly loadShedding: LoadShedding;
  readonly rateLimit: RateLimit | undefined;
  readonly cors: Cors | undefined;
  readonly clientOf: (req: IncomingMessage) => Client;
  readonly operations: (operation: Operation) => ServeOperation | Promise<ServeOperation>;
  readonly responder: Responder;
};

/**
 * Creates the request pipeline: shed load, check the message, route, serve the operation (`operation.ts`), respond
 * (`reply/respond.ts`). Only promises are awaited, since each await delays a request by a step of the event loop.
 *
 * @returns a request listener that answers every request, also usable as Express middleware
 */
export function createPipeline(options: PipelineOptions) {
  const { contract, loadShedding, rateLimit, cors, clientOf, operations, responder } = options;
  const { respond, fail } = responder;
  const route = createRouter(contract);
  const startSpan = createRequestSpans();
  return (req: IncomingMessage, res: ServerResponse): void => {
    const exchange = new Exchange(req, res, clientOf(req), loadShedding);
    const span = startSpan?.(req, exchange.client.address);
    exchange.span = span;
    // At the next tick, a body that was sent together with its header has arrived.
    if (span === undefined) nextTick(serve, exchange);
    else
      span.run(() => {
        nextTick(serve, exchange);
      });
  };

  function serve(exchange: Exchange): void {
    let response: HandlerResponse | Promise<HandlerResponse>;
    try {
      response = answer(exchange);
    } catch (error) {
      reject(exchange, error);
      return;
    }
    if (!(response instanceof Promise)) respond(exchange, response);
    else
      response.then(
        (settled) => {
          respond(exchange, settled);
        },
        (error: unknown) => {
          reject(exchange, error);
        },
      );
  }

  function answer(exchange: Exchange): HandlerResponse | Promise<HandlerResponse> {
    const { req, res } = exchange;
    const isPermission = cors !== undefined && isPreflight(req);
    // A preflight is not refused: the browser would then hide the 503 of the actual request from the page.
    if (!isPermission) loadShedding.check();
    const violation = findViolation(req);
    if (violation !== undefined) {
      res.shouldKeepAlive = false;
      throw violation;
    }
    const permitted = isPermission ? cors.permitAll(req) : undefined;
    if (permitted !== undefined) return { status: 204, headers: permitted, body: undefined };
    const { path, query } = readTarget(req);
    const routed = route(req.method ?? '', path);
    if ('allow' in routed) return isPermission ? permit(exchange, routed) : allow(exchange, routed);
    if (isPermission) loadShedding.check(); // The document has an OPTIONS operation, which handles the preflight.
    exchange.path = path;
    exchange.query = query;
    exchange.route = routed;
    const serveOperation = operations(routed.operation);
    return serveOperation instanceof Promise
      ? serveOperation.then((serveCompiled) => serveCompiled(exchange))
      : serveOperation(exchange);
  }

  function permit({ req }: Exchange, allowed: AllowedMethods): HandlerResponse {
    return { status: 204, headers: { allow: allowed.allow, ...cors?.permit(req, allowed) }, body: undefined };
  }

  async function allow(exchange: Exchange, { allow: methods }: AllowedMethods): Promise<HandlerResponse> {
    if (rateLimit !== undefined) await countRequest(rateLimit, exchange);
    return { status: 204, headers: { allow: methods }, body: undefined };
  }

  /** Answers a request that was rejected. A rejection before authentication also counts for the rate limit. */
  function reject(exchange: Exchange, error: unknown): void {
    const isCounted = exchange.rateLimitFields !== undefined || (cors !== undefined && isPreflight(exchange.req));
    if (rateLimit === undefined || isCounted || !(error instanceof Failure) || error.status >= 500) {
      fail(exchange, error);
      return;
    }
    countRequest(rateLimit, exchange).then(
      () => {
        fail(exchange, error);
      },
      (failure: unknown) => {
        fail(exchange, failure);
      },
    );
  }
}
