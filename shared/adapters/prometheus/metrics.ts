import { Registry } from 'prom-client';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { watchEngine } from './engine-metrics.ts';
import { addProcessMetrics, type BuildInfo } from './process-metrics.ts';
import { watchPurger } from './purge-metrics.ts';
import { addReadings } from './readings.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createStoreMetrics } from './store-metrics.ts';
import { createTaskMetrics } from './task-metrics.ts';

export interface PrometheusMetrics extends Metrics {
  /** All numbers in Prometheus' text format. */
  scrape(): Promise<string>;
  readonly contentType: string;
}

/** The numbers of this process. */
export function createPrometheusMetrics(info: BuildInfo, clock: Clock): PrometheusMetrics {
  const registry = new Registry();
  addProcessMetrics(registry, info);
  return {
    requests: createRequestMetrics(registry),
    stores: createStoreMetrics(registry),
    ...createTaskMetrics(registry),
    watchEngine: (engine) => watchEngine(registry, engine, clock),
    watchPurger: (purger) => watchPurger(registry, purger),
    read: (readings) => addReadings(registry, readings),
    scrape: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
