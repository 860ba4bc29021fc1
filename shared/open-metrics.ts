import { createPrometheusMetrics, type PrometheusMetrics } from './adapters/prometheus/metrics.ts';
import { type MetricsServer, startMetricsServer } from './adapters/prometheus/server.ts';
import { type Config, isScaleOut } from './config/config.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';
import { readVersion } from './version.ts';

export type ServiceMetrics = PrometheusMetrics;

/** The numbers of this process. */
export function createMetrics(config: Config, clock: Clock): ServiceMetrics {
  const engine = isScaleOut(config) ? 'scale-out' : 'embedded';
  return createPrometheusMetrics({ version: readVersion(), engine }, clock);
}

/** Serves them on METRICS_PORT. @throws Error that says in one sentence why it cannot listen */
export async function serveMetrics(
  { config, log }: { config: Config; log: Log },
  { scrape, contentType }: ServiceMetrics,
): Promise<MetricsServer> {
  const { METRICS_HOST: host, METRICS_PORT } = config;
  const server = await startMetricsServer({
    ...{ host, scrape, contentType },
    port: Number(METRICS_PORT),
    mounts: {},
  });
  log.info({ address: host, port: server.port }, 'metrics are served');
  return server;
}
