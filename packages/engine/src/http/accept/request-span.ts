import {
  context,
  metrics,
  propagation,
  ProxyTracer,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
} from '@opentelemetry/api';
import type { IncomingMessage } from 'node:http';
import { withoutOrigin } from './http-rules.ts';
import type { AnsweredRequest } from '../observer.ts';

/** The OpenTelemetry span of a request. */
export type RequestSpan = {
  /** For the log. */
  readonly ids: { readonly traceId: string; readonly spanId: string };
  /** Calls a function in the context of the span. Spans that the function starts become its children. */
  readonly run: (handle: () => void) => void;
  readonly end: (request: AnsweredRequest, route: string | undefined) => void;
};

// Other methods are `_OTHER`, to limit the number of span names (HTTP semantic conventions).
const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'];

// As the semantic conventions for HTTP define it.
const DURATION = {
  unit: 's',
  description: 'Duration of HTTP server requests.',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
};

/**
 * Creates the function that starts the span of a request, with the parent from the request headers. The end of a span
 * also records the duration of the request in a metric, which does nothing without a meter provider. Names and
 * attributes follow the semantic conventions for HTTP. The query is left out, since it may contain credentials.
 *
 * @returns `undefined` when no SDK is registered with the OpenTelemetry API
 */
export function createRequestSpans():
  ((req: IncomingMessage, clientAddress: string | undefined) => RequestSpan) | undefined {
  const tracer = trace.getTracer('http-server');
  if (tracer instanceof ProxyTracer) return undefined;
  const durations = metrics.getMeter('http-server').createHistogram('http.server.request.duration', DURATION);
  return (req, clientAddress) => {
    const parent = propagation.extract(context.active(), req.headers);
    const attributes = describe(req, clientAddress);
    const name = nameOf(attributes);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const { traceId, spanId } = span.spanContext();
    return {
      ids: { traceId, spanId },
      run(handle) {
        context.with(trace.setSpan(parent, span), handle);
      },
      end(request, route) {
        if (route !== undefined) span.updateName(`${name} ${route}`);
        const outcome = outcomeOf(request, route);
        span.setAttributes(outcome);
        if (outcome['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        const { 'http.request.method': requestMethod, 'url.scheme': scheme } = attributes;
        durations.record((request.durationMs ?? 0) / 1_000, {
          'http.request.method': requestMethod,
          'url.scheme': scheme,
          ...outcome,
        });
      },
    };
  };
}

function describe(
  { method = '', url = '', headers, httpVersion }: IncomingMessage,
  clientAddress?: string,
): Attributes {
  const isKnown = METHODS.includes(method);
  const host = URL.parse(`http://${headers.host ?? ''}`);
  return {
    'http.request.method': isKnown ? method : '_OTHER',
    ...(!isKnown && { 'http.request.method_original': method }),
    'url.scheme': 'http', // A proxy in front terminates TLS.
    'url.path': withoutOrigin(url)?.split('?', 1)[0],
    ...(host !== null && { 'server.address': host.hostname, 'server.port': Number(host.port || 80) }),
    'client.address': clientAddress,
    'network.protocol.version': httpVersion,
    'user_agent.original': headers['user-agent'],
  };
}

function nameOf({ 'http.request.method': method }: Attributes): string {
  return typeof method === 'string' && method !== '_OTHER' ? method : 'HTTP';
}

function outcomeOf({ status, isIncomplete }: AnsweredRequest, route: string | undefined): Attributes {
  const isCut = isIncomplete === true || status === undefined;
  return {
    'http.route': route,
    'http.response.status_code': status,
    ...((isCut || status >= 500) && { 'error.type': isCut ? 'incomplete_response' : String(status) }),
  };
}
