import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvalidRequest, type Caller } from '@contract-first/contract';
import type { Client } from './accept/client-address.ts';
import type { LoadShedding } from './accept/load-shedding.ts';
import type { RequestSpan } from './accept/request-span.ts';
import type { CompiledOperation } from './compiled-operation.ts';
import type { Failure } from './failure.ts';
import type { OverloadReason } from './observer.ts';
import type { BodyReader, RequestBody } from './read/body.ts';
import { NO_PARAMETERS, type ReadParameters } from './read/parameters.ts';
import type { Upload } from './read/upload.ts';
import type { HandlerResponse } from './reply/response.ts';
import { sendContinue } from './reply/send.ts';
import type { Route } from './router.ts';

/** A step on the way from a request to its response. Returns a promise only if it waits. */
export type Step = (exchange: Exchange) => Promise<void> | undefined;

/**
 * Responds to the first request with a key, and repeats this response to later requests.
 *
 * @param respond handles the request; its writes are undone if it throws or responds with a 5xx, which is not kept
 * @throws {Failure} 409 while the first request is in progress, 422 when it had other values
 * @throws the error of `respond`
 */
export type RespondOnce = (respond: () => Promise<HandlerResponse>) => Promise<HandlerResponse>;

/** The state of a request and its response. Each step reads members that earlier steps have set. */
export class Exchange implements BodyReader {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly client: Client;
  readonly startedAt = performance.now();
  /** The span of the request, with OpenTelemetry. */
  span: RequestSpan | undefined;
  /** The path and the query of the request. */
  path = '';
  query = '';
  route: Route | undefined;
  /** The operation of the route; set when it is compiled. */
  compiled: CompiledOperation | undefined;
  caller: Caller | undefined;
  /** The header fields of the rate limit; set when the request was counted. */
  rateLimitFields: Readonly<Record<string, string>> | undefined;
  /** Whether the response depends on the header Accept. */
  isNegotiated = false;
  parameters: ReadParameters = NO_PARAMETERS;
  limitBytes = 0;
  fieldsLimitBytes = 0;
  /** The body, or why it is malformed. */
  body: RequestBody | Failure | undefined;
  /** Calls the handler once for each `Idempotency-Key`; `undefined` for a request without the documented header. */
  respondOnce: RespondOnce | undefined;
  /** The input of the handler; cancelled when the reply is no longer needed. */
  request: { cancel(reason: Error): void } | undefined;
  response: HandlerResponse | undefined;
  /** Whether the whole response was sent. */
  isComplete = true;
  /** Why the request was refused. */
  overload: OverloadReason | undefined;
  readonly #loadShedding: LoadShedding;
  #reservedBytes = 0;
  #upload: Upload | undefined;
  #hasStream = false;

  constructor(req: IncomingMessage, res: ServerResponse, client: Client, loadShedding: LoadShedding) {
    this.req = req;
    this.res = res;
    this.client = client;
    this.#loadShedding = loadShedding;
  }

  get operationId(): string | undefined {
    return this.compiled?.operation.operationId;
  }

  /** Reserves memory for the body. @throws {Overloaded} when not enough is left */
  reserve(bytes: number): void {
    this.#loadShedding.reserve(bytes);
    this.#reservedBytes += bytes;
  }

  /** Releases the memory of the body. */
  release(): void {
    if (this.#reservedBytes > 0) this.#loadShedding.release(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  /**
   * Sends 100 Continue to a client that waits for it.
   *
   * @throws {InvalidRequest} for invalid parameters; the client then does not send the body
   */
  sendContinue(): void {
    const { headers, httpVersionMinor, complete } = this.req;
    // RFC 9110, 10.1.1: HTTP/1.0 has no 100.
    if (headers.expect === undefined || httpVersionMinor === 0 || complete) return;
    const { violations } = this.parameters;
    if (violations.length > 0) throw new InvalidRequest(violations);
    sendContinue(this.res);
  }

  keepUpload(upload: Upload): void {
    this.#upload = upload;
  }

  /** Counts the response as an open stream. @throws {Overloaded} when too many streams are open */
  openStream(): void {
    this.#loadShedding.openStream();
    this.#hasStream = true;
  }

  /** Ends the exchange: removes the temporary file of an upload, and no longer counts an open stream. */
  end(): void {
    void this.#upload?.remove();
    if (this.#hasStream) this.#loadShedding.closeStream();
  }
}
