import { PreconditionFailed, type Caller, type RequestContext, type ResourceState } from '@contract-first/contract';
import type { Logger } from 'pino';
import { onDisconnect } from '../accept/disconnect.ts';
import { requestIdOf } from '../accept/request-ids.ts';
import type { Exchange } from '../exchange.ts';
import { unavailableFailure } from '../failure.ts';
import { evaluateConditions } from './conditions.ts';
import { selectMediaType } from './negotiation.ts';
import type { LinkParameters } from './operation-url.ts';
import type { ValidRequest } from './validate-request.ts';

/** Returns the absolute URL of an operation, for the client of an exchange. */
export type UrlOf = (exchange: Exchange, operationId: string, parameters?: LinkParameters) => string;

/** The input of a handler. The log and the signal, which few handlers need, are created on first use. */
export class HandlerRequest implements ValidRequest, RequestContext {
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly cookies: object;
  readonly contentType: string | undefined;
  readonly body: unknown;
  readonly caller: Caller | undefined;
  readonly #exchange: Exchange;
  readonly #serviceLog: Logger;
  readonly #urlOf: UrlOf;
  #log: Logger | undefined;
  #cancellation: AbortController | undefined;
  #cancelled: Error | undefined;

  constructor(
    { path, query, headers, cookies, contentType, body }: ValidRequest,
    exchange: Exchange,
    serviceLog: Logger,
    urlOf: UrlOf,
  ) {
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.cookies = cookies;
    this.contentType = contentType;
    this.body = body;
    this.caller = exchange.caller;
    this.#exchange = exchange;
    this.#serviceLog = serviceLog;
    this.#urlOf = urlOf;
  }

  get requestId(): string {
    return requestIdOf(this.#exchange.req);
  }

  get rawHeaders(): RequestContext['rawHeaders'] {
    return this.#exchange.req.headers;
  }

  get url() {
    return (operationId: string, parameters?: LinkParameters): string =>
      this.#urlOf(this.#exchange, operationId, parameters);
  }

  get accepts() {
    return (...mediaTypes: readonly string[]): string => {
      const { req, compiled } = this.#exchange;
      this.#exchange.isNegotiated = true;
      return selectMediaType(req, mediaTypes, compiled?.operation.responses['406'] !== undefined);
    };
  }

  get assertMatch() {
    return (state: ResourceState | undefined): void => {
      const problem = evaluateConditions(this.#exchange.req.headers, state, false);
      if (problem !== undefined) throw new PreconditionFailed('the resource has another state');
    };
  }

  get log(): Logger {
    const { operationId } = this.#exchange;
    this.#log ??= this.#serviceLog.child({ requestId: this.requestId, operationId });
    return this.#log;
  }

  get signal(): AbortSignal {
    if (this.#cancellation === undefined) {
      this.#cancellation = new AbortController();
      onDisconnect(this.#exchange.req, this.#exchange.res, () => {
        this.cancel(new Error('the client has disconnected'));
      });
      if (this.#cancelled !== undefined) this.#cancellation.abort(this.#cancelled);
    }
    return this.#cancellation.signal;
  }

  /** Aborts the signal. If the handler reads the signal later, it gets an aborted one. */
  cancel(reason: Error): void {
    this.#cancelled ??= reason;
    this.#cancellation?.abort(reason);
  }
}

/**
 * Waits for the reply of a handler. At the time limit, aborts the signal of the request and ignores a later reply.
 *
 * @throws {Failure} 503 at the time limit
 */
export async function replyWithin<Reply>(
  limitMs: number,
  reply: Promise<Reply>,
  request: HandlerRequest,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = 'the time limit of the operation was reached';
      request.log.warn({ timeLimitMs: limitMs }, message);
      reject(unavailableFailure());
      request.cancel(new Error(message));
    }, limitMs);
  });
  try {
    return await Promise.race([reply, limit]);
  } finally {
    clearTimeout(timer);
  }
}
