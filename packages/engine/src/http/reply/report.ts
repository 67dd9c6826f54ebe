import type { Logger } from 'pino';
import { readTraceContext, requestIdOf } from '../accept/request-ids.ts';
import type { Exchange } from '../exchange.ts';
import type { AnsweredRequest, Observer } from '../observer.ts';

/** Ends an exchange after its response, and reports the outcome to the log and the metrics. */
export function reportOutcome(exchange: Exchange, observer: Observer): void {
  exchange.end();
  const outcome = outcomeOf(exchange);
  const { span, compiled, route, overload } = exchange;
  const endpoint = compiled && route?.endpoint;
  span?.end(outcome, endpoint?.route);
  if (overload === undefined) observer.answered(outcome, endpoint);
  else observer.refused(overload); // Logging each refused request would add load.
}

/** Logs an unexpected error. */
export function logError(log: Logger, { req, operationId }: Exchange, err: unknown): void {
  log.error({ requestId: requestIdOf(req), operationId, err }, 'request failed');
}

function outcomeOf({ req, res, startedAt, caller, client, isComplete, span }: Exchange): AnsweredRequest {
  const traced = readTraceContext(req);
  return {
    requestId: requestIdOf(req),
    method: req.method,
    status: res.headersSent ? res.statusCode : undefined,
    isIncomplete: isComplete ? undefined : true,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    caller: caller?.name,
    clientAddress: client.address,
    traceId: span?.ids.traceId ?? traced?.traceId,
    parentId: traced?.parentId,
    spanId: span?.ids.spanId,
  };
}
