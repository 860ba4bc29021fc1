import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics, Readings } from '../../ports/metrics.ts';
import { withTimeout } from '../../util/wait-at-most.ts';
import { watchEngine, watchPurger } from './engine-metrics.ts';
import { addReading } from './metric-kinds.ts';
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

/** A database that is down must not hold up a scrape. */
const readyWithinMs = 2_000;

/** Numbers that parts of the service keep anyway: they are read for a scrape. */
function addReadings(registry: Registry, readings: Readings): void {
  addMemories(registry, readings.memories);
  const gauge = (name: string, help: string, read: Parameters<typeof addReading>[3]) =>
    addReading(registry, 'gauge', { name, help }, read);
  const discarded = {
    name: 'dropleaf_page_memory_discarded_reads_total',
    help: 'Pages that were read and not kept in memory, because they changed meanwhile',
  };
  addReading(registry, 'counter', discarded, readings.discardedReads);
  gauge(
    'dropleaf_render_queue_length',
    'Pages, contexts and cards that wait for their turn to be rendered',
    () => Object.entries(readings.queues).map(([queue, read]) => [{ queue }, read()]),
  );
  gauge(
    'dropleaf_views_unrecorded',
    'Views that this process has counted and not recorded yet',
    readings.unrecordedViews,
  );
  gauge('dropleaf_ready', 'Whether reads and writes work, as GET /readyz says: 1 or 0', () => {
    const late = () => new Error('not in time');
    return withTimeout(readyWithinMs, readings.ready(), late).then(
      () => 1,
      () => 0,
    );
  });
}

function addMemories(registry: Registry, memories: Readings['memories']): void {
  const lookups = {
    name: 'dropleaf_page_memory_lookups_total',
    help: 'Lookups in memory by what was looked for: a hit spares a read of the store',
  };
  addReading(registry, 'counter', lookups, () =>
    Object.entries(memories).flatMap(([memory, read]) => {
      const { hits, misses } = read();
      return [
        [{ memory, result: 'hit' }, hits],
        [{ memory, result: 'miss' }, misses],
      ] as const;
    }),
  );
  const held = [
    ['entries', 'entries', 'Entries in memory'],
    ['bytes', 'bytes', 'Size of the entries in memory'],
    ['maxBytes', 'max_bytes', 'What they may take at most (PAGE_CACHE_BYTES)'],
  ] as const;
  for (const [field, unit, help] of held)
    addReading(registry, 'gauge', { name: `dropleaf_page_memory_${unit}`, help }, () =>
      Object.entries(memories).map(([memory, read]) => [{ memory }, read()[field]]),
    );
}
