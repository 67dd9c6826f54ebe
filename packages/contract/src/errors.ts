/**
 * Ends a request with a documented failure, from any depth of a handler. A reply that the document does not describe for
 * the operation becomes a 500, as one that the handler returns would.
 */
export class HandlerFailure<Reply extends { readonly status: number }> extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`the handler replied ${String(reply.status)}`);
    this.reply = reply;
  }
}

/** Something that the document describes and the application lacks: the request ends with a 501. */
export class NotImplemented extends Error {
  /** @param subject an operationId, or the name of the missing part */
  constructor(subject: string) {
    super(`${subject} is not implemented yet`);
  }
}

/** Something that a handler needs is unavailable for now: the request ends with a 503. */
export class Unavailable extends Error {}
