import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Clock } from '../domain/clock.ts';
import { withTimeout } from '../util/promises.ts';
import {
  type CommandObserver,
  type Metrics,
  type Readings,
  type RequestMetrics,
  type StoreMetrics,
  type ThreadTask,
  threadTasks,
} from './metrics.ts';
import { watchEngine, watchPurger } from './prometheus-engine.ts';
import { createMeter, type Meter, timed } from './prometheus-meter.ts';

/** `active_*` list objects per connection, which `dropleaf_http_connections` counts; heap spaces have 27 useless series. */
const unwanted = /^nodejs_(active_(resources|handles|requests)|heap_space_)/;

/** A database that is down must not hold up a scrape. */
const readyWithinMs = 2_000;

/** Tasks for which an error or null says something about the input. */
const judgeInput: readonly ThreadTask[] = ['parse_json', 'find_title'];

export interface PrometheusMetrics extends Metrics {
  /** All numbers in Prometheus' text format. */
  scrape(): Promise<string>;
  readonly contentType: string;
}

/** The numbers of this process: ours, and CPU, memory, garbage collection and event loop under the library's names. */
export function createPrometheusMetrics(
  { version, engine }: { version: string; engine: string },
  clock: Clock,
): PrometheusMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray())
    if (unwanted.test(name)) registry.removeSingleMetric(name);
  const meter = createMeter(registry);
  meter.read('build_info', () => [[version, engine, 1]]);
  return {
    requests: createRequestMetrics(meter),
    stores: createStoreMetrics(meter),
    ...createTaskMetrics(meter),
    watchEngine: (engine) => watchEngine(meter, engine, clock),
    watchPurger: (purger) => watchPurger(meter, purger),
    read: (readings) => addReadings(meter, readings),
    scrape: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** A request costs no look-up: each route has its counter. */
function createRequestMetrics(meter: Meter): RequestMetrics {
  const routes = new Map<string, ReturnType<typeof addRoute>>();
  const durations = meter.histogram('http_request_duration_seconds');
  let abandoned = 0;
  meter.read('http_requests_abandoned_total', () => abandoned);
  meter.read('http_requests_total', () =>
    [...routes.values()].flatMap(({ method, route, byClass }) =>
      [...byClass.entries()]
        .filter(([, count]) => count > 0)
        .map(([digit, count]) => [method, route, `${digit}xx`, count] as const),
    ),
  );

  function addRoute(method: string, route: string) {
    const byClass = [0, 0, 0, 0, 0, 0]; // answers by the first digit of their status
    const duration = durations(method, route);
    return {
      method,
      route,
      byClass,
      answered(status: number, seconds: number): void {
        const digit = Math.floor(status / 100);
        byClass[digit] = (byClass[digit] ?? 0) + 1;
        duration.observe(seconds);
      },
    };
  }

  return {
    route(method, path) {
      const route = path.replace(/:(\w+)/g, '{$1}'); // as in the published description
      const key = `${method} ${route}`;
      const counted = routes.get(key) ?? addRoute(method, route);
      routes.set(key, counted);
      return counted;
    },
    abandoned() {
      abandoned += 1;
    },
    watchConnections: (count) => meter.read('http_connections', count),
  };
}

function createStoreMetrics(meter: Meter): StoreMetrics {
  function commandsOf(server: 'mongodb' | 'redis'): CommandObserver {
    const durations = meter.histogram(`${server}_command_duration_seconds` as const);
    const failed = meter.counter(`${server}_command_failures_total` as const);
    return (command, seconds, isFailed) => {
      if (seconds !== null) durations(command).observe(seconds);
      failed(command, isFailed ? 1 : 0);
    };
  }

  const duration = meter.histogram('sqlite_transaction_duration_seconds')();
  const flushDuration = meter.histogram('sqlite_flush_duration_seconds')();
  let writes = 0;
  let failures = 0;
  meter.read('sqlite_writes_total', () => writes);
  meter.read('sqlite_transaction_failures_total', () => failures);
  return {
    mongoCommand: commandsOf('mongodb'),
    redisCommand: commandsOf('redis'),
    sqliteTransaction(count, seconds, isFailed) {
      duration.observe(seconds);
      writes += count;
      if (isFailed) failures += 1;
    },
    sqliteFlush(seconds) {
      if (seconds === null) failures += 1;
      else flushDuration.observe(seconds);
    },
    sqliteReadFailed() {
      failures += 1;
    },
    watchFiles(read) {
      meter.read('sqlite_file_bytes', () => {
        const { database, wal } = read();
        return [
          ['database', database],
          ['wal', wal],
        ];
      });
      meter.read('data_free_bytes', () => read().free ?? []);
    },
  };
}

type Call = (...args: unknown[]) => Promise<unknown>;

/** Work that is given to threads, so that hostile input does not block the event loop. */
function createTaskMetrics(meter: Meter): Pick<Metrics, 'watchTask' | 'taskFailed'> {
  const durations = meter.histogram('thread_task_duration_seconds');
  const running = meter.counter('thread_tasks_running');
  const taskFailed = meter.counter(
    'thread_task_failures_total',
    threadTasks.filter((task) => !judgeInput.includes(task)),
  );

  function watch(task: ThreadTask, call: Call): Call {
    const run = timed(durations(task), call);
    running(task, 0);
    return async (...args) => {
      running(task);
      let result: unknown = null;
      try {
        result = await run(...args);
        return result;
      } finally {
        running(task, -1);
        if (result === null && !judgeInput.includes(task)) taskFailed(task);
      }
    };
  }

  return {
    watchTask<T>(task: ThreadTask, call: T): T {
      return watch(task, call as unknown as Call) as unknown as T; // proof: arguments and result are handed on as they are
    },
    taskFailed,
  };
}

function addReadings(meter: Meter, readings: Readings): void {
  const memories = Object.entries(readings.memories);
  meter.read('page_memory_lookups_total', () =>
    memories.flatMap(([memory, read]) => {
      const { hits, misses } = read();
      return [[memory, 'hit', hits] as const, [memory, 'miss', misses] as const];
    }),
  );
  meter.read('page_memory_entries', () => memories.map(([memory, read]) => [memory, read().entries]));
  meter.read('page_memory_bytes', () => memories.map(([memory, read]) => [memory, read().bytes]));
  meter.read('page_memory_max_bytes', () => memories.map(([memory, read]) => [memory, read().maxBytes]));
  meter.read('page_memory_discarded_reads_total', readings.discardedReads);
  meter.read('render_queue_length', () =>
    Object.entries(readings.queues).map(([queue, read]) => [queue, read()]),
  );
  meter.read('views_unrecorded', readings.unrecordedViews);
  meter.read('ready', () =>
    withTimeout(readyWithinMs, readings.ready(), () => new Error('not in time')).then(
      () => 1,
      () => 0,
    ),
  );
}
