import {
  context,
  propagation,
  ProxyTracer,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
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

/**
 * Creates the function that starts the span of a request, with the parent from the request headers. Names and
 * attributes follow the semantic conventions for HTTP. The query is left out, since it may contain credentials.
 *
 * @returns `undefined` when no SDK is registered with the OpenTelemetry API
 */
export function createRequestSpans():
  ((req: IncomingMessage, clientAddress: string | undefined) => RequestSpan) | undefined {
  const tracer = trace.getTracer('http-server');
  if (tracer instanceof ProxyTracer) return undefined;
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
        end(span, request, route);
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

function end(span: Span, { status, isIncomplete }: AnsweredRequest, route: string | undefined): void {
  span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
  const isCut = isIncomplete === true || status === undefined;
  if (isCut || status >= 500) {
    span.setAttribute('error.type', isCut ? 'incomplete_response' : String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
