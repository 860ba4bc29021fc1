import { Counter, type Metric, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

interface Described {
  readonly name: string;
  readonly help: string;
}

/** What the library shows of a metric. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Absent: the name of the metric. */
  readonly metricName?: string;
}

/** A metric whose samples are made for each scrape. */
export function addMetric(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  { name, help }: Described,
  read: () => Promise<readonly Sample[]>,
): void {
  const get = async () => ({ name, help, type, values: await read() });
  // proof: a registry reads these fields of what it holds, and calls `get` alone
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}

type Reading = number | readonly (readonly [labels: Labels, value: number])[];

/** A number that a part of the service keeps anyway, or one for each set of labels. @param read is called for each scrape */
export function addReading(
  registry: Registry,
  type: 'counter' | 'gauge',
  described: Described,
  read: () => Reading | Promise<Reading>,
): void {
  addMetric(registry, type, described, async () => {
    const found = await read();
    if (typeof found === 'number') return [{ labels: {}, value: found }];
    return found.map(([labels, value]) => ({ labels, value }));
  });
}

/**
 * A counter with one label.
 * @param values are shown from the start with 0: a series that begins with its first event would hide it from `rate()`
 * @returns a function that counts one event
 */
export function createEventCounter<V extends string>(
  registry: Registry,
  { label, values, ...described }: Described & { readonly label: string; readonly values: readonly V[] },
): (value: V) => void {
  const counter = new Counter({ ...described, labelNames: [label], registers: [registry] });
  for (const value of values) counter.labels(value).inc(0);
  return (value) => counter.labels(value).inc();
}

type Watchers<T> = {
  readonly [K in keyof T]?: T[K] extends (...args: infer A) => Promise<infer R>
    ? (result: R, ...args: A) => void
    : never;
};

/** The same object. After a call of a method that `watchers` names, its watcher gets the result and the arguments. */
export function watchResults<T extends object>(watched: T, watchers: Watchers<T>): T {
  type Call = (...args: unknown[]) => unknown;
  const methods = Object.entries(watchers as Record<string, Call>).map(([name, watch]) => {
    const call = Reflect.get(watched, name) as Call;
    return [
      name,
      async (...args: unknown[]) => {
        const result = await call(...args);
        watch(result, ...args);
        return result;
      },
    ];
  });
  return { ...watched, ...Object.fromEntries(methods) }; // proof of the casts: `Watchers` names methods of `T` by their types
}
