import express, { type Request, type Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { nodeHttp } from '@contract-first/contract';
import type { Docs } from '../docs/docs.ts';
import type { Cors } from './accept/cors.ts';
import { invalidTargetFailure } from './accept/http-rules.ts';
import { requestIdOf } from './accept/request-ids.ts';
import { Failure, unavailableFailure, unexpectedFailure } from './failure.ts';
import { createMessageClasses, type MessageClasses } from './messages.ts';
import type { Observer } from './observer.ts';
import type { FailureResponse } from './reply/failure-response.ts';
import { definedHeaders, serializeHeaders } from './reply/response.ts';
import { sendFailure } from './reply/send.ts';

/** Express middleware. With `@types/express`, it may declare its parameters with Express's types. */
// The type of a method, since parameters of methods are bivariant: Express's request is narrower than Node's.
export type Middleware = {
  method(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown;
}['method'];

type AppOptions = {
  /** `undefined`: only pages of the service's own origin may read responses. */
  readonly cors: Cors | undefined;
  /** The application's own middleware. */
  readonly middleware: readonly Middleware[];
  readonly docs: Docs | undefined;
  /** Answers every request that the middleware and the docs page pass on. */
  readonly pipeline: (req: IncomingMessage, res: ServerResponse) => void;
  readonly failureResponse: FailureResponse;
  /** Returns whether an error means that the database is unavailable for now. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly observer: Observer;
  readonly log: Logger;
};

/** An Express application as a request listener, and the classes of its requests and responses. */
export type App = { readonly app: RequestListener; readonly messageClasses: MessageClasses };

/** Creates the Express application: the application's middleware, the optional docs page, and the pipeline. */
export function createApp({
  cors,
  middleware,
  docs,
  pipeline,
  failureResponse,
  isUnavailable,
  observer,
  log,
}: AppOptions): App {
  const app = express();
  app.disable('x-powered-by');
  if (cors !== undefined) {
    app.use((req, _res, next) => {
      cors.decide(req);
      next();
    });
  }
  for (const each of middleware) app.use(each);
  if (docs !== undefined) app.use(docs);
  app.use(pipeline);
  return {
    app(req, res) {
      const { url = '' } = req;
      // Node warns about a URL such as `http://[` when Express parses it.
      if (!url.startsWith('/') && url !== '*' && !URL.canParse(url)) {
        fail(req, res, invalidTargetFailure());
        return;
      }
      app(req as Request, res as Response, (error) => {
        fail(req, res, error);
      });
    },
    messageClasses: createMessageClasses(app),
  };

  /** Answers a request whose middleware failed. */
  function fail(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    if (error === undefined && res.headersSent) return; // As in Express, a second next() is ignored.
    const { failure, isUnexpected } = explain(error);
    const response = failureResponse(failure);
    const { status } = response;
    const requestId = requestIdOf(req);
    if (isUnexpected) log.error({ requestId, err: error }, 'request failed');
    if (status < 500) observer.rejected({ requestId, status, reason: failure.reason });
    sendFailure(req, res, response);
  }

  /** Returns the failure for an error of middleware, and whether the error must be logged. */
  function explain(error: unknown): { readonly failure: Failure; readonly isUnexpected: boolean } {
    try {
      if (error instanceof Failure) return { failure: error, isUnexpected: false };
      if (isUnavailable(error)) return { failure: unavailableFailure(), isUnexpected: false };
      const failure = toFailure(error);
      return { failure, isUnexpected: failure.status >= 500 };
    } catch {
      return { failure: unexpectedFailure(), isUnexpected: true }; // A property of the error cannot be read or sent.
    }
  }
}

/**
 * Returns the failure for an error of middleware. As in Express, the error may have a status: `createError(415)`.
 *
 * @throws when a property of the error cannot be read, or a header cannot be sent
 */
function toFailure(error: unknown): Failure {
  const { statusCode = 500, status = statusCode, message, expose, headers }: HttpError = Object(error) as object;
  if (!Number.isInteger(status) || status < 400 || status > 599) return unexpectedFailure();
  if (status >= 500) return new Failure(status, unexpectedFailure().message);
  const title = nodeHttp.STATUS_CODES[status] ?? 'the request was rejected';
  const fields = serializeHeaders(definedHeaders(headers ?? {}));
  return new Failure(status, expose === true ? String(message) : title, fields, [], String(message));
}

/** The properties of an error of `http-errors`; other errors may also have them. */
type HttpError = {
  readonly status?: number;
  readonly statusCode?: number;
  readonly message?: unknown;
  /** Whether the client may receive the message. */
  readonly expose?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
};
