import { serveMetrics } from '../../shared/engines/open-metrics.ts';
import type { TestService } from './service.ts';

/** What chooses a free port for metrics. */
export const withMetrics = { METRICS_PORT: '0' };

/** Every value that a process shows to Prometheus, by its series as text: `name{label="value"}`. */
export async function scrape(service: Pick<TestService, 'services'>): Promise<Map<string, number>> {
  return readSeries(await scrapeText(service));
}

/** What Prometheus reads. */
export async function scrapeText({ services }: Pick<TestService, 'services'>): Promise<string> {
  const { metrics } = services;
  if (metrics === null) throw new Error('the service has no METRICS_PORT');
  const server = await serveMetrics(services, metrics);
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    return await response.text();
  } finally {
    await server.stop();
  }
}

function readSeries(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
  );
}
