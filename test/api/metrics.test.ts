import { expect } from 'chai';
import { routesOf } from '../support/description.ts';
import { isScaleOutRun } from '../support/engine.ts';
import { expectTooMany } from '../support/expect.ts';
import { scrape, withMetrics } from '../support/scrape.ts';
import { useOwner, useService, useServiceOfEach } from '../support/service.ts';

/** As many as the service sends to a server. */
const commandsOfServers = Array.from({ length: 15 }, (_, n) => `command${n}`);

/** Of one number. */
type Series = Map<string, number>;

describe('Metrics', () => {
  const service = useServiceOfEach({ ...withMetrics, WRITES_PER_MINUTE: '2' });
  const owner = useOwner(service);

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

  it('count lookups in memory, publishes, views, limits, threads and jobs', async () => {
    const body = { title: 'A', html: '<p>A', context: '# A' };
    const { slug } = (await owner.request('POST', '/api/drops', { body })).body;
    await service.settle();
    await owner.request('PUT', `/api/drops/${slug}`, { body: { html: '<p>B' } });
    await owner.request('PUT', `/api/drops/${slug}`, { body: { html: '<p>C' } });
    for (let n = 0; n < 4; n++) await service.view(`/p/${slug}/raw`);
    await service.settle();
    const series = await scrape(service);
    const read = (...names: string[]) => Object.fromEntries(names.map((name) => [name, series.get(name)]));
    const expected = {
      'dropleaf_publishes_total{kind="drop"}': 1,
      'dropleaf_publishes_total{kind="version"}': 1,
      'dropleaf_limit_hits_total{limit="write"}': 1,
      'dropleaf_limit_hits_total{limit="drops"}': 0,
      'dropleaf_page_memory_entries{memory="bodies"}': 1,
      dropleaf_views_recorded_total: 4,
      dropleaf_views_unrecorded: 0,
      'dropleaf_thread_task_failures_total{task="render_page"}': 0,
      'dropleaf_job_run_failures_total{name="version.render"}': 0,
      'dropleaf_jobs{name="version.render",state="waiting"}': 0,
      'dropleaf_job_overdue_seconds{name="version.render"}': 0,
      dropleaf_job_queue_up: 1,
      dropleaf_ready: 1,
    };
    expect(read(...Object.keys(expected))).to.deep.equal(expected);
    expect(series.get('dropleaf_http_connections')).to.be.at.least(1);
    const lookups = ['hit', 'miss'].map((result) =>
      series.get(`dropleaf_page_memory_lookups_total{memory="pages",result="${result}"}`),
    );
    if (isScaleOutRun) expect(Number(lookups[0]) + Number(lookups[1])).to.equal(4);
    else expect(lookups).to.deep.equal([3, 1]);
    if (isScaleOutRun) {
      expect(commandsIn(series, 'mongodb')).to.include.members(['insert', 'find', 'update']);
      expect(commandsIn(series, 'redis')).to.include.members(['evalsha', 'publish']);
    } else {
      expect(series.get('dropleaf_sqlite_writes_total')).to.be.at.least(3);
      expect(series.get('dropleaf_data_free_bytes')).to.be.above(0);
    }
    expect(series.get('dropleaf_thread_task_duration_seconds_count{task="render_page"}')).to.be.at.least(2);
    expect(series.get('dropleaf_job_run_duration_seconds_count{name="version.render"}')).to.be.at.least(2);
  });

  it('have at most 2,200 series, even if every route has answered with every class of status', async () => {
    const { services } = service;
    const { metrics } = services;
    const { routes } = routesOf(services);
    const all = [...routes, { method: 'GET', path: '/p/:slug/raw' }];
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await service.request(method, '/no/such/path');
      expect(answer.status).to.equal(404);
    }
    for (const { method, path } of all) {
      for (const status of [200, 303, 404, 503]) metrics?.requests.route(method, path).answered(status, 0.01);
    }
    for (const command of commandsOfServers) {
      metrics?.stores.mongoCommand(command, 0.01, true);
      metrics?.stores.redisCommand(command, 0.01, true);
    }
    await service.settle();
    const series = await scrape(service);
    expect(answersIn(series)).to.include({
      'GET / 5xx': 1,
      'GET /p/{slug}/raw 5xx': 1,
      'other other 4xx': 1,
    });
    expect(series.size)
      .to.be.above(4 * routes.length)
      .and.to.be.at.most(2_200);
  });
});

describe('Metrics of the caps and of the writes of a day', () => {
  const caps = { DROPS_PER_ACCOUNT: '2', VERSIONS_PER_DROP: '2', WRITES_PER_DAY: '4' };
  const service = useService({ ...withMetrics, ...caps });
  const owner = useOwner(service);

  it('count each refused drop and version', async () => {
    const hits = async () => {
      const series = await scrape(service);
      const limits = ['drops', 'versions', 'writes_per_day'];
      return limits.map((limit) => series.get(`dropleaf_limit_hits_total{limit="${limit}"}`));
    };
    const { slug } = await owner.create();
    await owner.put(slug);
    expect(await hits()).to.deep.equal([0, 0, 0]);
    expectTooMany(await owner.put(slug), 'version_limit_reached');
    const other = await owner.create();
    expectTooMany(await owner.post(), 'quota_exceeded');
    await owner.put(other.slug);
    expect(await hits()).to.deep.equal([1, 1, 0]);
    expectTooMany(await owner.post(), 'daily_quota_exceeded');
    expectTooMany(await owner.put(other.slug), 'daily_quota_exceeded');
    expect(await hits()).to.deep.equal([1, 1, 2]);
  });
});

/** The commands that were timed on a server. */
function commandsIn(series: Series, server: 'mongodb' | 'redis'): string[] {
  const name = new RegExp(`^dropleaf_${server}_command_duration_seconds_count\\{command="(.*)"\\}$`);
  return [...series.keys()].flatMap((key) => name.exec(key)?.[1] ?? []);
}

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
