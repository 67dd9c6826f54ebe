/** Is told what becomes of requests, for the log and the metrics. */
export type Observer = {
  /** Every request once it is answered, but those below. */
  readonly answered: (request: AnsweredRequest) => void;
  /** A request, or a connection, that was refused at once, as there are too many. */
  readonly refused: (reason: OverloadReason) => void;
};

/** What became of a request: nothing of its body, its query or its credentials. */
export type AnsweredRequest = {
  readonly requestId: string;
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  /** What was sent; `undefined` when the client was gone by then. */
  readonly status: number | undefined;
  /** From the end of its header to its answer; `undefined` when it never became a request. */
  readonly durationMs?: number;
  readonly caller?: string | undefined;
  readonly clientAddress: string | undefined;
  readonly traceId?: string | undefined;
  readonly parentId?: string | undefined;
};

export type OverloadReason = 'in_flight' | 'event_loop_delay' | 'body_memory' | 'connections';
