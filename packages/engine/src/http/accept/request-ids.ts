import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const REQUEST_ID = /^[\w.~:/+=@-]{1,128}$/;
// Version 00 has exactly 55 characters; later versions may append fields after a dash; `ff` is invalid.
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:$|-)/;

const REQUEST_ID_KEY = Symbol('request id');
/** A request with its cached id. A property costs nothing; a WeakMap entry takes over half a microsecond. */
type RequestWithId = IncomingMessage & { [REQUEST_ID_KEY]?: string | undefined };

/** Returns the id of a request for the log and the response: its valid X-Request-Id, or a new UUID. */
export function requestIdOf(req: RequestWithId): string {
  return (req[REQUEST_ID_KEY] ??= chooseRequestId(req));
}

function chooseRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : createRequestId();
}

const COUNT_DIGITS = 12;
const PREFIX = randomUUID().slice(0, -COUNT_DIGITS);
let requestCount = 0;

/** Creates a request id: a UUID whose start is random for this process, and whose end counts. */
export function createRequestId(): string {
  requestCount += 1;
  return PREFIX + requestCount.toString(16).padStart(COUNT_DIGITS, '0');
}

/** Parses the `traceparent` header (W3C Trace Context). Returns `undefined` when it is absent or malformed. */
export function readTraceContext({ headers }: IncomingMessage): { traceId: string; parentId: string } | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, parentId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || parentId === undefined ? undefined : { traceId, parentId };
}
