import type { Metric, Registry } from 'prom-client';
import { catalogue, type Definition, type MetricName } from './prometheus-catalogue.ts';

/** The numbers for one set of label values. */
export interface Tally {
  observe(value: number): void;
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Absent: the name of the metric. */
  readonly metricName?: string;
}

/** A number, or one for each set of label values, which are in the order of the labels. */
export type Reading = number | readonly (readonly [...values: string[], value: number])[];

export type Meter = ReturnType<typeof createMeter>;

/** The library's own counters hash and check labels for each value, which takes longer (docs/performance.md). */
export function createMeter(registry: Registry) {
  function add(
    name: MetricName,
    read: (definition: Definition, name: string) => Promise<Sample[]> | Sample[],
  ) {
    const definition: Definition = catalogue[name];
    const shown = { name: `dropleaf_${name}`, help: definition.help, type: definition.type };
    const get = async () => ({ ...shown, values: await read(definition, shown.name) });
    // proof: a registry reads these fields of what it holds, and calls `get` alone
    registry.registerMetric({ ...shown, get } as unknown as Metric);
  }

  return {
    /** A number that a part of the service keeps anyway. @param read is called for each scrape */
    read(name: MetricName, read: () => Reading | Promise<Reading>): void {
      add(name, async ({ labels }) => {
        const found = await read();
        if (typeof found === 'number') return [{ labels: {}, value: found }];
        return found.map((row) => ({ labels: labelled(labels, row), value: Number(row.at(-1)) }));
      });
    },

    /** A number for each value of a label. @param values shown as 0 from the start, so that `rate()` sees the first event */
    counter<V extends string>(name: MetricName, values: readonly V[] = []): (value: V, by?: number) => void {
      const counts = new Map<string, number>(values.map((value) => [value, 0]));
      add(name, ({ labels }) =>
        [...counts].map(([value, count]) => ({ labels: labelled(labels, [value]), value: count })),
      );
      return (value, by = 1) => void counts.set(value, (counts.get(value) ?? 0) + by);
    },

    /** @returns a function that returns the same tally for the same values of the labels */
    histogram(name: MetricName): (...values: string[]) => Tally {
      const tallies = new Map<string, ReturnType<typeof createTally>>();
      add(name, (_, shown) => [...tallies.values()].flatMap((tally) => tally.list(shown)));
      return (...values) => {
        const key = values.join(' ');
        const { labels, buckets }: Definition = catalogue[name];
        const tally = tallies.get(key) ?? createTally(labelled(labels, values), buckets);
        tallies.set(key, tally);
        return tally;
      };
    },
  };
}

function labelled(
  labels: readonly string[],
  values: readonly (string | number)[],
): Record<string, string | number> {
  return Object.fromEntries(labels.map((label, i) => [label, values[i] ?? '']));
}

function createTally(own: Sample['labels'], buckets: readonly number[]) {
  const counts = new Float64Array(buckets.length + 1);
  let sum = 0;
  return {
    observe(value: number): void {
      let at = 0;
      while (value > (buckets[at] ?? Number.POSITIVE_INFINITY)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },

    /** Without a value it has no series: most routes are hardly used. */
    list(name: string): Sample[] {
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
