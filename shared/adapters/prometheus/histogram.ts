import type { Histogram as LibraryHistogram, Registry } from 'prom-client';

/** The numbers for one set of label values. */
export interface Tally {
  observe(value: number): void;
}

export interface Histogram {
  /** The same tally for the same values. @param values in the order of the histogram's labels */
  tally(...values: string[]): Tally;
}

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, rising. */
  readonly buckets: readonly number[];
}

/** Those of the library hash and check the labels for each value, which takes 20 times as long as these (docs/performance.md). */
export function createHistogram(registry: Registry, options: HistogramOptions): Histogram {
  const { name, help, labels, buckets } = options;
  const tallies = new Map<string, ReturnType<typeof createTally>>();
  const metric = {
    name,
    help,
    type: 'histogram',
    get: async () => ({ name, help, type: 'histogram', values: [...tallies.values()].flatMap(list) }),
  };
  // proof: a registry reads these fields of what it holds, and calls `get` alone
  registry.registerMetric(metric as unknown as LibraryHistogram);

  /** Without a value it has no series: most routes are hardly used. */
  function list(tally: ReturnType<typeof createTally>) {
    const { own, sum, counts } = tally.read();
    let total = 0;
    const cumulated = [...buckets, '+Inf'].map((le, i) => {
      total += counts[i] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...own, le }, value: total };
    });
    if (total === 0) return [];
    return [
      ...cumulated,
      { metricName: `${name}_sum`, labels: own, value: sum },
      { metricName: `${name}_count`, labels: own, value: total },
    ];
  }

  return {
    tally(...values) {
      const key = values.join(' ');
      const known = tallies.get(key);
      if (known !== undefined) return known;
      const own = Object.fromEntries(labels.map((label, i) => [label, values[i] ?? '']));
      const tally = createTally(own, buckets);
      tallies.set(key, tally);
      return tally;
    },
  };
}

function createTally(own: Readonly<Record<string, string>>, buckets: readonly number[]) {
  const counts = new Float64Array(buckets.length + 1);
  let sum = 0;
  return {
    observe(value: number): void {
      let at = 0;
      while (value > (buckets[at] ?? Number.POSITIVE_INFINITY)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    read: () => ({ own, sum, counts }),
  };
}
