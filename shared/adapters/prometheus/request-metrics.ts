import { Counter, type Registry } from 'prom-client';
import type { RequestMetrics, RouteCounter } from '../../ports/metrics.ts';
import { createHistogram } from './histogram.ts';
import { addReading } from './metric-kinds.ts';

/** Few, because there are as many series for each route: from memory, quick, noticed, slow, near ANSWER_MS. */
const buckets = [0.005, 0.025, 0.1, 0.5, 2.5];

interface Counted extends RouteCounter {
  readonly method: string;
  readonly route: string;
  /** Answers by the first digit of their status. */
  readonly byClass: readonly number[];
}

/** A request costs no look-up: each route has its counter, and the numbers are written down for a scrape. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const routes = new Map<string, Counted>();
  const durations = createHistogram(registry, {
    name: 'dropleaf_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer was handed to the system, by method and route',
    labels: ['method', 'route'],
    buckets,
  });
  const answered = {
    name: 'dropleaf_http_requests_total',
    help: 'Answered requests by method, route and class of status (2xx to 5xx)',
  };
  addReading(registry, 'counter', answered, () =>
    [...routes.values()].flatMap(({ method, route, byClass }) =>
      [...byClass.entries()]
        .filter(([, count]) => count > 0)
        .map(([digit, count]) => [{ method, route, status: `${digit}xx` }, count] as const),
    ),
  );
  const abandoned = new Counter({
    name: 'dropleaf_http_requests_abandoned_total',
    help: 'Requests whose clients left before they were answered',
    registers: [registry],
  });

  function add(method: string, route: string): Counted {
    const byClass = [0, 0, 0, 0, 0, 0];
    const duration = durations.tally(method, route);
    return {
      ...{ method, route, byClass },
      answered(status, seconds) {
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
      const counted = routes.get(key) ?? add(method, route);
      routes.set(key, counted);
      return counted;
    },
    abandoned: () => abandoned.inc(),
    watchConnections(count) {
      const connections = { name: 'dropleaf_http_connections', help: 'Open connections of clients' };
      addReading(registry, 'gauge', connections, count);
    },
  };
}
