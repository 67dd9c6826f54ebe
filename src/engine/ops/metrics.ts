import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../http/observer.ts';

/** Metrics of a running service, for Prometheus. */
export type Metrics = Omit<Observer, 'rejected'> & {
  /** Counts a commit of so many rows. */
  readonly committed: (rows: number, durationMs: number) => void;
  /** Reads a number whenever the metrics are read. */
  readonly gauge: (name: string, help: string, read: () => number) => void;
  /** Writes every metric in the text format of Prometheus. */
  readonly text: () => Promise<string>;
};

/** The media type of the text format of Prometheus. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const LATENCY_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const GROUP_ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Creates the metrics, those of the process and its event loop included. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests by operation and status. The label is empty for requests without an operation.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the end of the request header to the response, by operation.',
    labelNames: ['operation'],
    buckets: LATENCY_SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests and connections that were refused, by the limit that was reached.',
    labelNames: ['limit'],
    registers,
  });
  const groups = new Histogram({
    name: 'database_commit_rows',
    help: 'Rows in one commit.',
    buckets: GROUP_ROWS,
    registers,
  });
  const commits = new Histogram({
    name: 'database_commit_duration_seconds',
    help: 'Duration of one commit.',
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
    committed(rows, durationMs) {
      groups.observe(rows);
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
