import { Registry } from 'prom-client';
import type { Metrics } from '../../ports/metrics.ts';
import { addProcessMetrics, type BuildInfo } from './process-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';

export interface PrometheusMetrics extends Metrics {
  /** All numbers in Prometheus' text format. */
  scrape(): Promise<string>;
  readonly contentType: string;
}

/** The numbers of this process. */
export function createPrometheusMetrics(info: BuildInfo): PrometheusMetrics {
  const registry = new Registry();
  addProcessMetrics(registry, info);
  return {
    requests: createRequestMetrics(registry),
    scrape: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
