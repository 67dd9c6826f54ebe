/** What is measured, and how it is shown. */
export const METRICS = {
  requestsPerSecond: { label: 'requests/s', digits: 0, better: 'higher' },
  p50Ms: { label: 'p50 ms', digits: 2, better: 'lower' },
  p99Ms: { label: 'p99 ms', digits: 2, better: 'lower' },
  cpuMicros: { label: 'CPU µs/request', digits: 0, better: 'lower' },
  startMs: { label: 'start to first 200, ms', digits: 0, better: 'lower' },
  peakMegabytes: { label: 'peak memory MB', digits: 0, better: 'lower' },
} as const;
export type Metric = keyof typeof METRICS;

/** What one round has shown; what cannot be known on this machine is left out. */
export type Sample = Readonly<Partial<Record<Metric, number>>>;

/** A server in the rounds of a table. */
export type Row = { readonly name: string; readonly rounds: readonly Sample[] };

/** Servers that were measured in turns. */
export type Table = {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Each row in relation to another one, round by round. */
  readonly ratio: {
    readonly title: string;
    readonly metrics: readonly Metric[];
    readonly of: (row: Row) => readonly [dividend: Row, divisor: Row];
  };
  /** What the chart shows of it, if anything. */
  readonly chart?: Metric;
};

export type Spread = { readonly min: number; readonly median: number; readonly max: number };

/** What the rounds come to; `undefined` where nothing was measured. */
export function spread(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [min, median, max] = [known[0], known[Math.floor(known.length / 2)], known.at(-1)];
  return min === undefined || median === undefined || max === undefined ? undefined : { min, median, max };
}

/** The median of a metric over the rounds of a server. */
export function medianOf({ rounds }: Row, metric: Metric): number | undefined {
  return spread(rounds.map((round) => round[metric]))?.median;
}

/** A metric of a row in relation to the one it is compared with. */
export function ratioOf({ ratio }: Table, row: Row, metric: Metric): Spread | undefined {
  const [dividend, divisor] = ratio.of(row);
  return spread(
    dividend.rounds.map((round, index) => {
      const [above, below] = [round[metric], divisor.rounds[index]?.[metric]];
      return above === undefined || below === undefined ? undefined : above / below;
    }),
  );
}

/** The service, which comes first, in relation to each row. */
export function serviceAgainst(rows: readonly Row[], metrics: readonly Metric[]): Table['ratio'] {
  return { title: 'service ÷ this', metrics, of: (row) => [rows[0] ?? row, row] };
}
