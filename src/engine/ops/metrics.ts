import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../http/observer.ts';

/** What is measured while the service runs, for Prometheus. */
export type Metrics = Observer & {
  /** A group of plants was committed. */
  readonly committed: (plants: number, durationMs: number) => void;
  /** Reads a number each time the metrics are. */
  readonly gauge: (name: string, help: string, read: () => number) => void;
  /** Writes every metric in the text format of Prometheus. */
  readonly text: () => Promise<string>;
};

/** The media type of the text format of Prometheus. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const LATENCY_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const GROUP_PLANTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Starts measuring the process and its event loop, and counts what it is told of. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests that were answered, by operation and status. Those that are no operation have none.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the end of the header of a request to its answer, by operation.',
    labelNames: ['operation'],
    buckets: LATENCY_SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests and connections that were refused at once, by the limit that was reached.',
    labelNames: ['limit'],
    registers,
  });
  const groups = new Histogram({
    name: 'store_commit_plants',
    help: 'Plants in one commit.',
    buckets: GROUP_PLANTS,
    registers,
  });
  const commits = new Histogram({
    name: 'store_commit_duration_seconds',
    help: 'How long one commit took.',
    buckets: LATENCY_SECONDS,
    registers,
  });

  return {
    answered({ operationId: operation = '', status, durationMs }) {
      requests.inc({ operation, status: status ?? 'gone' });
      if (durationMs !== undefined) durations.observe({ operation }, durationMs / 1_000);
    },
    refused(limit) {
      refusals.inc({ limit });
    },
    committed(plants, durationMs) {
      groups.observe(plants);
      commits.observe(durationMs / 1_000);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    text: () => register.metrics(),
  };
}
