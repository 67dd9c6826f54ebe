import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Caller } from '../contract/caller.ts';
import type { RequestContext } from '../contract/handler-types.ts';
import { onDisconnect } from './disconnect.ts';
import { requestIdOf } from './trace.ts';
import type { ValidRequest } from './validate-request.ts';

/** The input of a handler. Parts of the context that few handlers need are created when they are first used. */
export class HandlerRequest implements ValidRequest, RequestContext {
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly cookies: object;
  readonly contentType: string | undefined;
  readonly body: unknown;
  readonly caller: Caller | undefined;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #serviceLog: Logger;
  readonly #operationId: string;
  #log: Logger | undefined;
  #cancellation: AbortController | undefined;
  #cancelled: Error | undefined;

  constructor(
    { path, query, headers, cookies, contentType, body }: ValidRequest,
    caller: Caller | undefined,
    exchange: { req: IncomingMessage; res: ServerResponse; log: Logger; operationId: string },
  ) {
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.cookies = cookies;
    this.contentType = contentType;
    this.body = body;
    this.caller = caller;
    this.#req = exchange.req;
    this.#res = exchange.res;
    this.#serviceLog = exchange.log;
    this.#operationId = exchange.operationId;
  }

  get requestId(): string {
    return requestIdOf(this.#req);
  }

  get rawHeaders(): RequestContext['rawHeaders'] {
    return this.#req.headers;
  }

  get log(): Logger {
    this.#log ??= this.#serviceLog.child({ requestId: this.requestId, operationId: this.#operationId });
    return this.#log;
  }

  get signal(): AbortSignal {
    if (this.#cancellation === undefined) {
      this.#cancellation = new AbortController();
      onDisconnect(this.#req, this.#res, () => {
        this.cancel(new Error('the client has disconnected'));
      });
      if (this.#cancelled !== undefined) this.#cancellation.abort(this.#cancelled);
    }
    return this.#cancellation.signal;
  }

  /** Aborts the signal. */
  cancel(reason: Error): void {
    this.#cancelled ??= reason;
    this.#cancellation?.abort(reason);
  }
}
