import { expect } from 'chai';
import { scrape, withMetrics } from '../support/scrape.ts';
import { type Owner, startService, type TestService } from '../support/service.ts';

/** Of one number. */
type Series = Map<string, number>;

describe('Metrics', () => {
  let service: TestService;
  let owner: Owner;

  beforeEach(async () => {
    service = await startService({ env: withMetrics });
    owner = await service.newOwner();
  });
  afterEach(() => service.stop());

  it('count answers by method, route and class of status, and never by slug', async () => {
    const { slug } = (await owner.request('POST', '/api/drops', { body: { title: 'A', html: '<p>A' } })).body;
    for (let n = 0; n < 3; n++) await service.get(`/p/${slug}/raw`);
    await service.get(`/p/${slug}`);
    await service.request('HEAD', `/p/${slug}`);
    await service.get('/p/unknown/raw');
    await service.get(`/no/such/path/${slug}`);
    await service.request('DELETE', `/p/${slug}`);
    await service.request('PROPFIND', `/p/${slug}`);
    await owner.request('GET', `/api/drops/${slug}`);
    await service.get(`/api/drops/${slug}`);
    const series = await scrape(service);
    expect(answersIn(series)).to.deep.equal({
      'POST /api/drops 2xx': 1,
      'GET /p/{slug}/raw 2xx': 3,
      'GET /p/{slug}/raw 4xx': 1,
      'GET /p/{slug} 2xx': 2,
      'GET other 4xx': 1,
      'DELETE other 4xx': 1,
      'other other 4xx': 1,
      'GET /api/drops/{slug} 2xx': 1,
      'GET /api/drops/{slug} 4xx': 1,
    });
    const timed = 'dropleaf_http_request_duration_seconds_count{method="GET",route="/p/{slug}/raw"}';
    expect(series.get(timed)).to.equal(4);
    expect([...series.keys()].filter((key) => key.includes(slug))).to.deep.equal([]);
  });
});

/** `METHOD ROUTE CLASS` with the number of answers. */
function answersIn(series: Series): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [key, value] of series) {
    const [, method, route, status] =
      /^dropleaf_http_requests_total\{method="(.*)",route="(.*)",status="(.*)"\}$/.exec(key) ?? [];
    if (method !== undefined) counts[`${method} ${route} ${status}`] = value;
  }
  return counts;
}
