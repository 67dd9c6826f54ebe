import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Where a request belongs in a trace that its client takes part in (W3C Trace Context). */
export type TraceContext = { readonly traceId: string; readonly parentId: string };

const REQUEST_ID = /^[\w.~:/+=@-]{1,128}$/;
// Version 00 is 55 characters long; a later one may go on after another dash; `ff` is none.
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:$|-)/;

const requestIds = new WeakMap<IncomingMessage, string>();

/** What a request is called in the log and in its answer: its X-Request-Id, if that is fit for it, or a new UUID. */
export function requestIdOf(req: IncomingMessage): string {
  const known = requestIds.get(req);
  if (known !== undefined) return known;
  const sent = req.headers['x-request-id'];
  const id = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
  requestIds.set(req, id);
  return id;
}

/** Reads `traceparent`; a malformed one is none. */
export function readTraceContext({ headers }: IncomingMessage): TraceContext | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, parentId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined || parentId === undefined ? undefined : { traceId, parentId };
}
