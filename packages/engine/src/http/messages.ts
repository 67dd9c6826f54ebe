import type { Express } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeHttp } from '@contract-first/contract';

/** The classes of requests and responses that a server creates. */
export type MessageClasses = {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
};

/**
 * Creates the classes of the requests and responses of an Express application. Express changes the prototype of objects
 * of other classes, which deoptimises each object.
 */
export function createMessageClasses(app: Express): MessageClasses {
  class Request extends nodeHttp.IncomingMessage {}
  class Response<Req extends IncomingMessage = IncomingMessage> extends nodeHttp.ServerResponse<Req> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}
