/** The labels of a metric. */
export type Labels = Readonly<Record<string, string | number>>;

/** A number of values in each of several buckets, for a histogram of Prometheus. */
export class Distribution {
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

  /** Returns the samples of a histogram: each bucket with those below it, the sum and the count. */
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
