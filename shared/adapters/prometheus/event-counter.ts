import { Counter, type Registry } from 'prom-client';

interface EventCounterOptions<L extends string, V extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: L;
  /** Shown from the start with 0: a series that begins with its first event would hide it from `rate()`. */
  readonly values: readonly V[];
}

/** A counter with one label. @returns a function that counts one event, or `by` of them */
export function createEventCounter<L extends string, V extends string>(
  registry: Registry,
  { name, help, label, values }: EventCounterOptions<L, V>,
): (value: V, by?: number) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  const add = (value: V, by: number) => counter.labels(value).inc(by);
  for (const value of values) add(value, 0);
  return (value, by = 1) => add(value, by);
}
