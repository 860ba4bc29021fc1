import { type Config, engineName } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import { createPrometheusMetrics, type PrometheusMetrics } from '../metrics/prometheus.ts';
import { type MetricsServer, startMetricsServer } from '../metrics/prometheus-server.ts';
import { readRelease } from '../version.ts';
import type { OpenedEngine } from './open-stores.ts';

export type ServiceMetrics = PrometheusMetrics;

export function createMetrics(config: Config, clock: Clock): ServiceMetrics {
  return createPrometheusMetrics({ version: readRelease(), engine: engineName(config) }, clock);
}

const boardPath = '/queues';

/** Serves them on METRICS_PORT, with the pages of the job queue if the engine has any. @throws Error that says in one sentence why it cannot listen */
export async function serveMetrics(
  { config, log, engine }: { config: Config; log: Log; engine: OpenedEngine },
  { scrape, contentType }: ServiceMetrics,
): Promise<MetricsServer> {
  const { METRICS_HOST: host, METRICS_PORT, QUEUES_WRITABLE: isWritable } = config;
  const board = await engine.jobBoard?.({ path: boardPath, isWritable });
  const server = await startMetricsServer({
    host,
    scrape,
    contentType,
    log,
    port: Number(METRICS_PORT),
    names: [host, new URL(config.BASE_URL).hostname],
    mounts: board === undefined ? {} : { [boardPath]: board },
  });
  log.info({ address: host, port: server.port }, 'metrics are served');
  return server;
}
