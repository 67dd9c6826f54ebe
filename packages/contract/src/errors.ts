/**
 * Ends a request with a documented failure, from any depth of a handler. A reply that the operation does not document
 * becomes a 500, as with a returned reply.
 */
export class HandlerFailure<Reply extends { readonly status: number }> extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`the handler replied ${String(reply.status)}`);
    this.reply = reply;
  }
}

/** The application does not implement a documented operation or part: the request ends with a 501. */
export class NotImplemented extends Error {
  /** @param subject an operationId, or the name of the missing part */
  constructor(subject: string) {
    super(`${subject} is not implemented yet`);
  }
}

/** A resource does not have the state that a request requires: the request ends with a 412. */
export class PreconditionFailed extends Error {}

/** The client accepts none of the media types: the request ends with a 406. */
export class NotAcceptable extends Error {
  constructor(mediaTypes: readonly string[]) {
    super(`the response is available as ${mediaTypes.join(', ')}`);
  }
}

/** A dependency of a handler is temporarily unavailable: the request ends with a 503. */
export class Unavailable extends Error {}
