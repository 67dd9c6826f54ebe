// What a client should wait at least; an outage that lasts is asked about at this pace.
const RETRY_AFTER_SECONDS = 1;

/** A request that ends here: the status, what to tell the client, and the headers that go with that status. */
export class Failure extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param message goes to the client: for a 4xx, it says what to mend; for a 5xx, it is a fixed text */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** The body of every failure; the generator refuses a document that has another one for them. */
export function errorBody(status: number, message: string): { readonly error: number; readonly message: string } {
  return { error: status, message };
}

/** Whatever went wrong inside the service, the client is told this much. */
export function unexpectedFailure(): Failure {
  return new Failure(500, 'The service failed to answer this request');
}

/** What the service needs cannot be used at the moment. RFC 9110, 15.6.4 and 10.2.3. */
export function unavailableFailure(): Failure {
  return new Failure(503, 'The service cannot answer this request now; try again', {
    'retry-after': String(RETRY_AFTER_SECONDS),
  });
}
