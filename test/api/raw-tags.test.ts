import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

const url = 'http://127.0.0.1:9/';

describe('GET /p/{slug}/raw: the tag of its drop', () => {
  let service: TestService;
  afterEach(() => service.stop());

  const purgers: Record<string, Readonly<Record<string, string>>> = {
    none: {},
    http: { EDGE_PURGE_URL: url },
    varnish: { EDGE_PURGE_URL: url },
    fastly: { EDGE_PURGE_URL: url, EDGE_PURGE_TOKEN: 't', EDGE_FASTLY_SERVICE_ID: 'A1' },
    cloudflare: { EDGE_PURGE_URL: url, EDGE_PURGE_TOKEN: 't', EDGE_CLOUDFLARE_ZONE_ID: '0'.repeat(32) },
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
      const [{ slug }, other] = [await owner.create(), await owner.create()];
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
