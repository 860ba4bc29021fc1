import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { parsePage } from '../support/html.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;

const edgeUrl = 'http://127.0.0.1:9/';

describe('GET /p/{slug}/raw: how long a shared cache may keep it', () => {
  afterEach(() => service.stop());

  const purger = { EDGE_PURGER: 'http', EDGE_PURGE_URL: edgeUrl };

  for (const [what, env, plain, pinned] of [
    ['with a purger', purger, 's-maxage=86400', 's-maxage=86400'],
    ['without one, 4 s in all', {}, 's-maxage=4', 's-maxage=3, stale-while-revalidate=1'],
    ['without one, for a second', { EDGE_TTL_SECONDS: '1' }, 's-maxage=1', 's-maxage=1'],
    ['never', { EDGE_TTL_SECONDS: '0' }, 's-maxage=0', 's-maxage=0'],
    ['never, with a purger', { ...purger, EDGE_TTL_SECONDS: '0' }, 's-maxage=0', 's-maxage=0'],
  ] as const) {
    it(`${what}: ${plain}; at an address with the version's internal id: ${pinned}`, async () => {
      service = await startService({ env });
      const { owner, slug } = await service.newDrop();
      const path = `/p/${slug}/raw`;
      const cachingOf = async (address: string, headers: Record<string, string> = {}) =>
        (await service.get(address, { headers })).headers['cache-control'];
      const frame = parsePage((await service.get(`/p/${slug}`)).text).find('iframe')?.attributes.src ?? '';
      const { etag = '' } = (await service.get(frame)).headers;
      for (const headers of [{}, { 'if-none-match': etag }])
        expect(await cachingOf(frame, headers)).to.equal(`public, max-age=0, ${pinned}`);
      for (const query of ['', '?v=1', '?utm=x', '?v=1&id=0123', '?g=x'])
        expect(await cachingOf(path + query), query).to.equal(`public, max-age=0, ${plain}`);
      await owner.put(slug);
      expect(await cachingOf(frame), 'an old version keeps its address').to.equal(
        `public, max-age=0, ${pinned}`,
      );
      for (const address of [`${path}?v=2`, frame.replace('v=1', 'v=2')])
        expect(await cachingOf(address), address).to.equal(`public, max-age=0, ${plain}`);
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      expect(await cachingOf(frame)).to.equal('private, no-store');
    });
  }
});

describe('GET /p/{slug}/raw: the tag of its drop', () => {
  afterEach(() => service.stop());

  const purgers: Record<string, Readonly<Record<string, string>>> = {
    none: {},
    http: { EDGE_PURGE_URL: edgeUrl },
    varnish: { EDGE_PURGE_URL: edgeUrl },
    fastly: { EDGE_PURGE_URL: edgeUrl, EDGE_PURGE_TOKEN: 't', EDGE_FASTLY_SERVICE_ID: 'A1' },
    cloudflare: { EDGE_PURGE_URL: edgeUrl, EDGE_PURGE_TOKEN: 't', EDGE_CLOUDFLARE_ZONE_ID: '0'.repeat(32) },
  };
  for (const [purger, header] of [
    ['none', null],
    ['http', 'cache-tag'],
    ['varnish', 'surrogate-key'],
    ['fastly', 'surrogate-key'],
    ['cloudflare', 'cache-tag'],
  ] as const) {
    it(`EDGE_PURGER=${purger}: ${header ?? 'in no header'}`, async () => {
      service = await startService({ env: { EDGE_PURGER: purger, ...purgers[purger] } });
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      const other = await owner.create();
      await owner.put(slug);
      const tagsOf = async (path: string, headers: Record<string, string> = {}) => {
        const { headers: sent } = await service.get(path, { headers });
        return { 'cache-tag': sent['cache-tag'], 'surrogate-key': sent['surrogate-key'] };
      };
      const none = { 'cache-tag': undefined, 'surrogate-key': undefined };
      const tags = await tagsOf(`/p/${slug}/raw`);
      if (header === null) expect(tags).to.deep.equal(none);
      else {
        expect(tags).to.deep.equal({ ...none, [header]: tags[header] });
        expect(tags[header]).to.match(/^drop-/);
        expect(await tagsOf(`/p/${other.slug}/raw`), 'another drop').to.not.deep.equal(tags);
      }
      expect(await tagsOf(`/p/${slug}/raw?v=1`), 'another version').to.deep.equal(tags);
      expect(await tagsOf(`/p/${slug}/raw`, { 'if-none-match': '*' }), '304').to.deep.equal(tags);
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      const { frame } = await service.enter(slug, 'open-sesame');
      expect((await service.get(frame)).status).to.equal(200);
      expect(await tagsOf(frame), 'locked').to.deep.equal(none);
      expect(await tagsOf(`/p/${slug}/raw`), 'refused').to.deep.equal(none);
    });
  }
});

describe('GET /p/{slug}/raw: HEAD and If-None-Match', () => {
  afterEach(() => service.stop());

  it('read no bytes of a page that is rendered', async () => {
    const gate = createGate();
    service = await startService({
      adaptEngine: (engine) => ({
        ...engine,
        html: gate.wrap(engine.html),
        renders: gate.wrap(engine.renders, ['findPart']),
      }),
    });
    const { slug } = await service.newDrop();
    await service.settle();
    const path = `/p/${slug}/raw`;
    const forms = ['br', 'gzip', 'identity'];
    const whole = await Promise.all(
      forms.map((form) => service.get(path, { headers: { 'accept-encoding': form } })),
    );
    await service.restart(); // nothing is in memory
    gate.refuse(new Error('the bytes were asked for'));
    for (const [index, form] of forms.entries()) {
      const { headers } = whole[index] ?? (await service.get(path));
      const head = await service.request('HEAD', path, { headers: { 'accept-encoding': form } });
      expect(head.status, form).to.equal(200);
      for (const name of ['content-length', 'content-encoding', 'etag'])
        expect(head.headers[name], `${form} ${name}`).to.equal(headers[name]);
      const conditions = { 'accept-encoding': form, 'if-none-match': headers.etag ?? '' };
      expect((await service.get(path, { headers: conditions })).status, form).to.equal(304);
    }
    expect((await service.get(path)).status, 'where they are needed').to.equal(500);
  });
});

describe('GET /p/{slug}/raw while versions are removed', () => {
  afterEach(() => service.stop());

  for (const [times, status] of [
    [1, 200],
    [2, 200],
    [3, 503],
  ] as const) {
    it(`${status} if ${times} times in a row the version was removed before its document was read`, async () => {
      let removed = 0;
      service = await startService({
        adaptEngine: ({ html, renders, ...engine }) => ({
          ...engine,
          html: { ...methodsOf(html), get: async (id) => (removed-- > 0 ? null : html.get(id)) },
          renders: { ...methodsOf(renders), findHead: async () => null },
        }),
      });
      const { slug } = await (await service.newOwner()).create();
      await service.settle(); // from now on only the request reads the document
      removed = times;
      const raw = await service.get(`/p/${slug}/raw`);
      if (status === 200) expect(raw.status).to.equal(200);
      else expectError(raw, 503, 'unavailable');
    });
  }
});

describe('GET /p/{slug}/raw: its log lines', () => {
  afterEach(() => service.stop());

  for (const [sample, expected] of [
    ['0', ['503']],
    ['1', ['200', '200', '304', '404', '404', '405', '308', '403', '403', '403', '410', '404', '503']],
  ] as const) {
    it(`LOG_RAW_SAMPLE=${sample}: ${sample === '0' ? 'only those that the service failed' : 'each request'}`, async () => {
      let isDown = false;
      service = await startService({
        env: { LOG_RAW_SAMPLE: sample },
        adaptEngine: ({ drops, ...engine }) => ({
          ...engine,
          drops: {
            ...methodsOf(drops),
            findPage: async (slug, number) => {
              if (isDown) throw unavailable('The database is away.');
              return drops.findPage(slug, number);
            },
          },
        }),
      });
      const { owner, slug } = await service.newDrop();
      const path = `/p/${slug}/raw`;
      const from = service.logs.length;
      const { etag = '' } = (await service.get(path)).headers;
      await service.request('HEAD', path);
      await service.get(path, { headers: { 'if-none-match': etag } });
      await service.get('/p/nosuchslug00/raw');
      const refused = await service.get(`${path}?v=9`);
      await service.request('POST', path);
      await service.get(`${path}/`);
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      await service.get(path);
      await service.request('HEAD', path);
      await service.get(path, { headers: { 'if-none-match': etag } });
      await service.services.moderation.takeDown(slug, { by: 'me', reason: 'test' });
      await service.get(path);
      await owner.request('DELETE', `/api/drops/${slug}`);
      await service.get(path);
      isDown = true;
      await service.get('/p/nosuchslug00/raw');
      const lines = () => service.logs.slice(from).filter((line) => /^info request .*\/raw\/?'/.test(line));
      await service.eventually(async () => {
        const statuses = lines().map((line) => /status: (\d+)/.exec(line)?.[1]);
        expect(statuses.sort()).to.deep.equal([...expected].sort());
      });
      const id = refused.headers['x-request-id'] ?? 'none';
      expect(lines().filter((line) => line.includes(id))).to.have.length(sample === '0' ? 0 : 1);
    });
  }
});
