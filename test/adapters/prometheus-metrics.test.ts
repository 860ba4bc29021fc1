import { expect } from 'chai';
import { Registry } from 'prom-client';
import { watchPurger } from '../../shared/adapters/prometheus/engine-metrics.ts';
import { createHistogram } from '../../shared/adapters/prometheus/histogram.ts';
import { unavailable } from '../../shared/domain/errors.ts';

/** The values of a scrape, without help and types. */
async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('Metrics for Prometheus', () => {
  let registry: Registry;

  beforeEach(() => {
    registry = new Registry();
  });

  it('count each value of a histogram in the buckets that it fits into, and show nothing without a value', async () => {
    const histogram = createHistogram(registry, {
      ...{ name: 'took_seconds', help: 'How long', labels: ['way', 'kind'], buckets: [0.1, 1] },
    });
    histogram.tally('long', 'never');
    for (const seconds of [0.1, 0.5, 1.5]) histogram.tally('short', 'a"b').observe(seconds);
    expect(await linesOf(registry)).to.deep.equal([
      'took_seconds_bucket{way="short",kind="a\\"b",le="0.1"} 1',
      'took_seconds_bucket{way="short",kind="a\\"b",le="1"} 2',
      'took_seconds_bucket{way="short",kind="a\\"b",le="+Inf"} 3',
      'took_seconds_sum{way="short",kind="a\\"b"} 2.1',
      'took_seconds_count{way="short",kind="a\\"b"} 3',
    ]);
  });

  it('count purges by result', async () => {
    const results = [undefined, unavailable('wait', 3), new Error('broken'), undefined];
    const purger = watchPurger(registry, {
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
