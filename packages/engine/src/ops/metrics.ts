import { version as nodeVersion } from 'node:process';
import { collectDefaultMetrics, Counter, Gauge, type Histogram, Registry } from 'prom-client';
import type { AnsweredRequest, InvalidReply, Observer } from '../http/observer.ts';

/** Metrics of a running service, for Prometheus. */
export type Metrics = Pick<Observer, 'refused'> & {
  /** @param document the label of the document, if the service has several */
  readonly answered: (request: AnsweredRequest, operationId?: string, document?: string) => void;
  readonly sentInvalid: (response: InvalidReply, document?: string) => void;
  /** Counts a commit, its rows and its duration. */
  readonly committed: (rows: number, durationMs: number) => void;
  /** Registers a gauge, whose value is read on each scrape. */
  readonly gauge: (name: string, help: string, read: () => number) => void;
  /** The registry of the engine's and the application's metrics. */
  readonly registry: Registry;
  /** Returns all metrics in Prometheus' text format. */
  readonly text: () => Promise<string>;
};

/** The media type of Prometheus' text format. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const LATENCY_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Default gauges whose names end in `_total`, like counters. They are removed; the gauges that they sum up remain.
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];
const COMMIT_ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The request counts of one operation: plain numbers, from which metrics are created on each scrape. */
type Tally = { readonly statuses: Map<number | 'gone', number>; readonly durations: Distribution };

function createTally(): Tally {
  return { statuses: new Map(), durations: new Distribution(LATENCY_SECONDS) };
}

/**
 * Creates the metrics, including the default metrics of the process and the event loop.
 *
 * @param documents the names and versions of the documents, for `build_info`
 */
export function createMetrics(documents: readonly { readonly name: string; readonly version: string }[]): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const buildInfo = new Gauge({
    name: 'build_info',
    help: 'The name and the version of the service, and the version of Node; always 1.',
    labelNames: ['name', 'version', 'node_version'],
    registers,
  });
  for (const document of documents) buildInfo.set({ ...document, node_version: nodeVersion }, 1);
  const operationLabels = documents.length > 1 ? ['document', 'operation'] : ['operation'];
  const tallies = new Map<string | undefined, Map<string, Tally>>();
  new Counter({
    name: 'http_requests_total',
    help: 'Answered requests by operation and status. The label is empty for requests without an operation.',
    labelNames: [...operationLabels, 'status'],
    registers,
    collect() {
      this.reset();
      for (const [labels, { statuses }] of entries())
        for (const [status, count] of statuses) this.inc({ ...labels, status }, count);
    },
  });
  const durations = {
    name: 'http_request_duration_seconds',
    help: 'Time from the end of the request header to the response, by operation.',
  };
  registerHistogram(registry, durations, () => entries().map(([labels, tally]) => [labels, tally.durations] as const));
  const incomplete = new Counter({
    name: 'http_responses_incomplete_total',
    help: 'Responses whose stream was cut short, by operation: the client has disconnected, or the source has failed.',
    labelNames: operationLabels,
    registers,
  });
  const invalid = new Counter({
    name: 'http_responses_invalid_total',
    help: 'Replies that did not conform to the document and were sent, by operation; with VALIDATE_RESPONSES=report.',
    labelNames: operationLabels,
    registers,
  });
  const refusals = new Counter({
    name: 'http_requests_refused_total',
    help: 'Requests and connections that were refused, by the limit that was reached.',
    labelNames: ['limit'],
    registers,
  });
  const rowsPerCommit = new Distribution(COMMIT_ROWS);
  registerHistogram(registry, { name: 'database_commit_rows', help: 'Rows in one commit.' }, () => [
    [{}, rowsPerCommit],
  ]);
  const commitSeconds = new Distribution(LATENCY_SECONDS);
  registerHistogram(registry, { name: 'database_commit_duration_seconds', help: 'Duration of one commit.' }, () => [
    [{}, commitSeconds],
  ]);

  return {
    answered({ status: sent, durationMs, isIncomplete }, operation = '', document) {
      const status = sent ?? 'gone';
      let operations = tallies.get(document);
      if (operations === undefined) tallies.set(document, (operations = new Map<string, Tally>()));
      let tally = operations.get(operation);
      if (tally === undefined) operations.set(operation, (tally = createTally()));
      tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
      if (isIncomplete) incomplete.inc(labelsOf(document, operation));
      if (durationMs !== undefined) tally.durations.observe(durationMs / 1_000);
    },
    sentInvalid({ operationId }, document) {
      invalid.inc(labelsOf(document, operationId));
    },
    refused(limit) {
      refusals.inc({ limit });
    },
    committed(rows, durationMs) {
      rowsPerCommit.observe(rows);
      commitSeconds.observe(durationMs / 1_000);
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
    registry,
    text: () => registry.metrics(),
  };

  function entries(): (readonly [Labels, Tally])[] {
    return Array.from(tallies, ([document, operations]) =>
      Array.from(operations, ([operation, tally]) => [labelsOf(document, operation), tally] as const),
    ).flat();
  }
}

function labelsOf(document: string | undefined, operation: string): Labels {
  return document === undefined ? { operation } : { document, operation };
}

/**
 * Registers a histogram that is computed from distributions on each scrape. The library's histogram looks up labels for
 * each value, which takes longer than counting.
 */
function registerHistogram(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  read: () => Iterable<readonly [labels: Labels, distribution: Distribution]>,
): void {
  const histogram = {
    name,
    get: () => {
      const values = Array.from(read(), ([labels, distribution]) => distribution.samples(name, labels)).flat();
      return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
    },
  };
  registry.registerMetric(histogram as unknown as Histogram); // The registry uses only these members.
}

/** The labels of a metric. */
type Labels = Readonly<Record<string, string | number>>;

/** The bucket counts of a Prometheus histogram. */
class Distribution {
  readonly #bounds: readonly number[];
  /** The last bucket is for values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the upper bounds of the buckets, in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** Returns the samples of a histogram: the cumulative buckets, the sum and the count. */
  samples(name: string, labels: Labels) {
    let count = 0;
    const buckets = this.#counts.map((ofBucket, index) => {
      count += ofBucket;
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[index] ?? '+Inf', ...labels }, value: count };
    });
    const total = [
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
    return [...buckets, ...total];
  }
}
