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
