/** The metrics and their presentation. */
export const METRICS = {
  requestsPerSecond: { label: 'requests/s', digits: 0, better: 'higher' },
  p50Ms: { label: 'p50 ms', digits: 2, better: 'lower' },
  p99Ms: { label: 'p99 ms', digits: 2, better: 'lower' },
  cpuMicros: { label: 'CPU µs/request', digits: 0, better: 'lower' },
  startMs: { label: 'start to first 200, ms', digits: 0, better: 'lower' },
  peakMegabytes: { label: 'peak memory MB', digits: 0, better: 'lower' },
} as const;
export type Metric = keyof typeof METRICS;

/** The measurements of one round; metrics that this machine does not support are absent. */
export type Sample = Readonly<Partial<Record<Metric, number>>>;

/** The results of one server. */
export type Row = { readonly name: string; readonly rounds: readonly Sample[] };

/** The results of servers that were measured alternately. */
export type Table = {
  readonly title: string;
  readonly rows: readonly Row[];
  /** The ratios of each row to another row, calculated for each round. */
  readonly ratio: {
    readonly title: string;
    readonly metrics: readonly Metric[];
    readonly of: (row: Row) => readonly [dividend: Row, divisor: Row];
  };
  /** The metric that the chart shows. */
  readonly chart?: Metric;
};

export type Spread = { readonly min: number; readonly median: number; readonly max: number };

/** Returns minimum, median and maximum; `undefined` without a measurement. */
export function spread(values: readonly (number | undefined)[]): Spread | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [min, median, max] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return min === undefined || median === undefined || max === undefined ? undefined : { min, median, max };
}

/** Returns the median of a metric over the rounds of a server. */
export function medianOf({ rounds }: Row, metric: Metric): number | undefined {
  return spread(rounds.map((round) => round[metric]))?.median;
}

/** Returns the ratio of a metric between a row and the row that it is compared with. */
export function ratioOf({ ratio }: Table, row: Row, metric: Metric): Spread | undefined {
  const [dividend, divisor] = ratio.of(row);
  return spread(
    dividend.rounds.map((round, index) => {
      const [numerator, denominator] = [round[metric], divisor.rounds[index]?.[metric]];
      // A round shorter than a clock tick has no CPU time.
      return numerator === undefined || denominator === undefined || denominator === 0
        ? undefined
        : numerator / denominator;
    }),
  );
}

/** Returns the ratio of the service, which is the first row, to each row. */
export function serviceAgainst(rows: readonly Row[], metrics: readonly Metric[]): Table['ratio'] {
  return { title: 'service ÷ this', metrics, of: (row) => [rows[0] ?? row, row] };
}
