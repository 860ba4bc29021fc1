import type { Registry } from 'prom-client';
import { addMetric, type Sample } from './metric-kinds.ts';

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
  addMetric(registry, 'histogram', { name, help }, async () => [...tallies.values()].flatMap(list));

  /** Without a value it has no series: most routes are hardly used. */
  function list(tally: ReturnType<typeof createTally>): Sample[] {
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

/** The same call, whose time is observed, also if it fails. */
export function timed<A extends readonly unknown[], R>(
  duration: Tally,
  call: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const startedAt = performance.now();
    try {
      return await call(...args);
    } finally {
      duration.observe((performance.now() - startedAt) / 1_000);
    }
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
