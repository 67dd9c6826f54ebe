import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { cleanUp } from '@contract-first/testing/cleanup.ts';

/** A span received over OTLP. */
export type ExportedSpan = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The attributes of the service. */
  readonly resource: Readonly<Record<string, unknown>>;
};

/** A collector for OTLP over HTTP with JSON. */
export type Collector = {
  readonly env: Readonly<Record<string, string>>;
  /** All spans received so far. */
  readonly spans: readonly ExportedSpan[];
  /** The texts received so far for a signal: `metrics` or `logs`. */
  readonly received: Readonly<Record<'metrics' | 'logs', readonly string[]>>;
};

type KeyValue = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };
type Attributed = { readonly attributes?: readonly KeyValue[] };
type ResourceSpans = {
  readonly resource: Attributed;
  readonly scopeSpans: readonly { readonly spans: readonly (Omit<ExportedSpan, 'attributes'> & Attributed)[] }[];
};

/** Starts a collector on a free port until the test ends. */
export async function startCollector(): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const received: Record<'metrics' | 'logs', string[]> = { metrics: [], logs: [] };
  const server = createServer((req, res) => {
    void Array.fromAsync<Buffer>(req).then((chunks) => {
      const text = Buffer.concat(chunks).toString();
      if (req.url === '/v1/traces') spans.push(...decode(text));
      if (req.url === '/v1/metrics') received.metrics.push(text);
      if (req.url === '/v1/logs') received.logs.push(text);
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  return { env, spans, received };
}

function decode(text: string): readonly ExportedSpan[] {
  const { resourceSpans } = JSON.parse(text) as { readonly resourceSpans: readonly ResourceSpans[] };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, attributes: valuesOf(span), resource: valuesOf(resource) })),
    ),
  );
}

/**
 * Returns attributes as a plain object. In OTLP, each value is an object with one member, which is named by the type.
 */
function valuesOf({ attributes = [] }: Attributed): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
