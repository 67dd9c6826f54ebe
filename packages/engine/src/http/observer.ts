/** Receives request outcomes for logging and metrics. */
export type Observer = {
  /**
   * Reports a request after its response; not called for refused requests.
   *
   * @param endpoint the operation and the path that the request was routed to
   */
  readonly answered: (request: AnsweredRequest, endpoint?: Endpoint) => void;
  /** Reports why a request is answered with a 4xx; called before its response. */
  readonly rejected: (rejection: Rejection) => void;
  /** Reports a reply that is sent although it does not conform to the document; called before its response. */
  readonly sentInvalid: (response: InvalidReply) => void;
  /** Reports a request or connection refused because of overload. */
  readonly refused: (reason: OverloadReason) => void;
};

/** An operation at a path. All requests to it share one object. */
export type Endpoint = {
  readonly operationId: string;
  /** The path template of the document, with the base path of the server: `/v1/things/{id}`. */
  readonly route: string;
};

/** The outcome of a request, without its body, query and credentials. */
export type AnsweredRequest = {
  readonly requestId: string;
  readonly method?: string | undefined;
  /** The status sent; `undefined` when the client disconnected before the response. */
  readonly status: number | undefined;
  /** The response was a stream that ended early: the client disconnected or stalled, or the source failed. */
  readonly isIncomplete?: true | undefined;
  /** From the end of the header to the response; `undefined` for a message that the HTTP parser rejected. */
  readonly durationMs?: number;
  readonly caller?: string | undefined;
  readonly clientAddress: string | undefined;
  readonly traceId?: string | undefined;
  /** The caller's span in the trace. */
  readonly parentId?: string | undefined;
  /** The span of this request, with OpenTelemetry. */
  readonly spanId?: string | undefined;
};

/** The reason of a 4xx, without credentials. */
type Rejection = {
  readonly requestId: string;
  readonly operationId?: string | undefined;
  readonly status: number;
  readonly reason: string;
};

/** The operation and the problem of a nonconforming reply. The problem has no values of the reply. */
export type InvalidReply = { readonly operationId: string; readonly problem: string };

/** The limit that an overload reached. */
export type OverloadReason = 'in_flight' | 'event_loop_delay' | 'body_memory' | 'streams' | 'connections';
