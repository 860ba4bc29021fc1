import { expect } from 'chai';
import { Registry } from 'prom-client';
import { unavailable } from '../../shared/domain/errors.ts';
import { watchPurger } from '../../shared/metrics/prometheus-engine.ts';
import { createMeter, type Meter } from '../../shared/metrics/prometheus-meter.ts';

/** The values of a scrape, without help and types. */
async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('Metrics for Prometheus', () => {
  let registry: Registry;
  let meter: Meter;

  beforeEach(() => {
    registry = new Registry();
    meter = createMeter(registry);
  });

  it('count each value of a histogram in the buckets that it fits into, and show nothing without a value', async () => {
    const tally = meter.histogram('http_request_duration_seconds');
    tally('GET', 'never');
    for (const seconds of [0.005, 0.01, 9]) tally('PUT', 'a"b').observe(seconds);
    const of = 'method="PUT",route="a\\"b"';
    expect(await linesOf(registry)).to.deep.equal([
      ...[1, 2, 2, 2, 2].map((count, i) => {
        const bound = [0.005, 0.025, 0.1, 0.5, 2.5][i];
        return `dropleaf_http_request_duration_seconds_bucket{${of},le="${bound}"} ${count}`;
      }),
      `dropleaf_http_request_duration_seconds_bucket{${of},le="+Inf"} 3`,
      `dropleaf_http_request_duration_seconds_sum{${of}} 9.015`,
      `dropleaf_http_request_duration_seconds_count{${of}} 3`,
    ]);
  });

  it('count purges by result', async () => {
    const results = [undefined, unavailable('wait', 3), new Error('broken'), undefined];
    const purger = watchPurger(meter, {
      async purge() {
        const error = results.shift();
        if (error !== undefined) throw error;
      },
    });
    for (let n = 0; n < 4; n++) await purger.purge('tag').catch(() => undefined);
    expect(await linesOf(registry)).to.include.members([
      'dropleaf_edge_purges_total{result="confirmed"} 2',
      'dropleaf_edge_purges_total{result="limited"} 1',
      'dropleaf_edge_purges_total{result="failed"} 1',
      'dropleaf_edge_purge_duration_seconds_count 4',
    ]);
  });
});
