import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { watchEngine, watchPurger } from './engine-metrics.ts';
import { addReadings } from './readings.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createStoreMetrics } from './store-metrics.ts';
import { createTaskMetrics } from './task-metrics.ts';

/**
 * With 10,000 connections each of the first six lists as many objects for a scrape; `dropleaf_http_connections` says more.
 * The others have 27 series, and tell nobody what to do.
 */
const unwanted = [
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
];

export interface BuildInfo {
  readonly version: string;
  readonly engine: 'embedded' | 'scale-out';
}

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

/** CPU, memory, garbage collection and event loop of the process under the library's names, and what runs in it. */
function addProcessMetrics(registry: Registry, info: BuildInfo): void {
  collectDefaultMetrics({ register: registry });
  for (const name of unwanted) registry.removeSingleMetric(name);
  new Gauge({
    name: 'dropleaf_build_info',
    help: 'Always 1: the release and the engine are the labels',
    labelNames: ['version', 'engine'],
    registers: [registry],
  }).set({ ...info }, 1);
}
