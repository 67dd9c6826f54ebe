import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Where a request belongs in a trace that its client takes part in (W3C Trace Context). */
export type TraceContext = { readonly traceId: string; readonly parentId: string };

const REQUEST_ID = /^[\w.~:/+=@-]{1,128}$/;
// Version 00 is 55 characters long; a later one may go on after another dash; `ff` is none.
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:$|-)/;

const REQUEST_ID_OF = Symbol('request id');
/** The request remembers it: a property costs nothing, an entry in a WeakMap half a microsecond and more when it goes. */
type Remembering = IncomingMessage & { [REQUEST_ID_OF]?: string | undefined };

/** What a request is called in the log and in its answer: its X-Request-Id, if that is fit for it, or a new UUID. */
export function requestIdOf(req: Remembering): string {
  return (req[REQUEST_ID_OF] ??= chooseRequestId(req));
}

function chooseRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

/** Reads `traceparent`; a malformed one is none. */
export function readTraceContext({ headers }: IncomingMessage): TraceContext | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, parentId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || parentId === undefined ? undefined : { traceId, parentId };
}
