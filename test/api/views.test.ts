import { expect } from 'chai';
import type { RequestOptions } from '../support/client.ts';
import { parsePage } from '../support/html.ts';
import { startService, type TestService, useService } from '../support/service.ts';
import { type SharedCache, startSharedCache } from '../support/shared-cache.ts';

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

describe('view_count', () => {
  const service = useService();

  /** What the visits of a fresh drop count as. */
  async function countAfter(
    visits: (slug: string) => Promise<unknown>,
    fields: object = {},
  ): Promise<number> {
    const owner = await service.newOwner();
    const { slug, updated_at: updated } = await owner.create(fields);
    service.clock.advance(1000);
    await visits(slug);
    await service.settle();
    const { body } = await owner.get(`/api/drops/${slug}`);
    expect(body.updated_at, 'views never move updated_at').to.equal(updated);
    return body.view_count;
  }

  const visit = (path: string, headers: Record<string, string> = {}, options: RequestOptions = {}) =>
    service.get(path, { ...options, headers: { 'user-agent': browser, ...headers } });

  it('starts at 0', async () => {
    expect(await countAfter(async () => undefined)).to.equal(0);
  });

  it('a GET of the viewer page is a view', async () => {
    expect(await countAfter((slug) => visit(`/p/${slug}`))).to.equal(1);
    const navigation = {
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      accept: 'text/html,*/*;q=0.8',
    };
    expect(await countAfter((slug) => visit(`/p/${slug}`, navigation))).to.equal(1);
  });

  it('the viewer page that another page fetches, or takes for an image, a script or a frame, is none', async () => {
    for (const dest of ['image', 'empty', 'script', 'style', 'iframe', 'object', 'audio', 'serviceworker']) {
      const headers = { 'sec-fetch-dest': dest, 'sec-fetch-site': 'cross-site' };
      const visits = async (slug: string) => {
        for (let n = 0; n < 5; n++) expect((await visit(`/p/${slug}?x=${n}`, headers)).status).to.equal(200);
      };
      expect(await countAfter(visits), dest).to.equal(0);
    }
  });

  it('each counts once, from many at once', async () => {
    const visits = (slug: string) => Promise.all(Array.from({ length: 50 }, () => visit(`/p/${slug}`)));
    expect(await countAfter(visits)).to.equal(50);
  });

  it('counts on after it was settled, and over midnight', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    for (const expected of [1, 2, 3]) {
      await visit(`/p/${slug}`);
      await service.settle();
      await service.settle();
      expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(expected);
      service.clock.advance(12 * 3_600_000);
    }
  });

  it('the viewer page with its frame is one view', async () => {
    const visits = async (slug: string) => {
      const page = parsePage((await visit(`/p/${slug}`)).text);
      const source = new URL(page.find('iframe')?.attributes.src ?? '', `${service.url}/p/`);
      await visit(source.pathname + source.search, {
        'sec-fetch-dest': 'iframe',
        'sec-fetch-mode': 'navigate',
      });
    };
    expect(await countAfter(visits)).to.equal(1);
  });

  it('raw as a top-level page (Sec-Fetch-Dest: document) is a view', async () => {
    const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
    expect(await countAfter((slug) => visit(`/p/${slug}/raw`, headers))).to.equal(1);
    expect(await countAfter((slug) => visit(`/p/${slug}/raw?v=1`, headers))).to.equal(1);
  });

  it('raw in a frame, or fetched by a program, is none', async () => {
    for (const dest of ['iframe', 'empty', 'embed', 'image']) {
      expect(await countAfter((slug) => visit(`/p/${slug}/raw`, { 'sec-fetch-dest': dest }))).to.equal(0);
    }
    expect(await countAfter((slug) => visit(`/p/${slug}/raw`))).to.equal(0);
  });

  it("the frame's address opened as a top-level page is none: the viewer has counted it", async () => {
    const visits = async (slug: string) => {
      const page = parsePage((await visit(`/p/${slug}`)).text);
      const source = new URL(page.find('iframe')?.attributes.src ?? '', `${service.url}/p/`);
      await visit(source.pathname + source.search, { 'sec-fetch-dest': 'document' });
    };
    expect(await countAfter(visits)).to.equal(1);
  });

  it('raw as a top-level page that is not modified (304) is a view', async () => {
    const visits = async (slug: string) => {
      const { etag = '' } = (await visit(`/p/${slug}/raw`)).headers;
      const again = await visit(`/p/${slug}/raw`, { 'sec-fetch-dest': 'document', 'if-none-match': etag });
      expect(again.status).to.equal(304);
    };
    expect(await countAfter(visits)).to.equal(1);
  });

  it('HEAD is none', async () => {
    const head = (path: string) =>
      service.request('HEAD', path, { headers: { 'user-agent': browser, 'sec-fetch-dest': 'document' } });
    expect(await countAfter((slug) => head(`/p/${slug}`))).to.equal(0);
    expect(await countAfter((slug) => head(`/p/${slug}/raw`))).to.equal(0);
  });

  it('prefetch and prerender are none', async () => {
    for (const [name, value] of [
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ] as const) {
      expect(
        await countAfter((slug) => visit(`/p/${slug}`, { [name]: value })),
        `${name}: ${value}`,
      ).to.equal(0);
      const raw = { [name]: value, 'sec-fetch-dest': 'document' };
      expect(await countAfter((slug) => visit(`/p/${slug}/raw`, raw))).to.equal(0);
    }
  });

  it('known bots are none', async () => {
    for (const agent of [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'facebookexternalhit/1.1',
      'Twitterbot/1.0',
    ]) {
      expect(await countAfter((slug) => visit(`/p/${slug}`, { 'user-agent': agent })), agent).to.equal(0);
    }
  });

  it('refused ones are none: no version, a gate', async () => {
    expect(await countAfter((slug) => visit(`/p/${slug}?v=9`))).to.equal(0);
    expect(
      await countAfter((slug) => visit(`/p/${slug}/raw?v=9`, { 'sec-fetch-dest': 'document' })),
    ).to.equal(0);
    expect(await countAfter((slug) => visit(`/p/${slug}`), { passcode: 'sesame' })).to.equal(0);
  });

  it("the owner's own reads through the API are none", async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    await owner.get(`/api/drops/${slug}`);
    await owner.get(`/api/drops/${slug}/v/1`);
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });

  it('an unlocked drop counts as any other', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ passcode: 'sesame' });
    await service.enter(slug, 'sesame', { headers: { 'user-agent': browser } }); // ends at the viewer page
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(1);
  });

  it('what was counted survives a restart', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    await visit(`/p/${slug}`);
    await service.restart();
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(1);
  });
});

for (const [where, contentOrigin] of [
  ['on the same host', ''],
  ['on a host of its own', 'http://*.drops.example'],
] as const) {
  describe(`view_count behind a shared cache, raw ${where}`, () => {
    let service: TestService;
    let cache: SharedCache;
    beforeEach(async () => {
      const purger = { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9/', EDGE_TTL_SECONDS: '600' };
      service = await startService({ env: { ...purger, CONTENT_ORIGIN: contentOrigin } });
      cache = await startSharedCache(service.url);
    });
    afterEach(async () => {
      cache.close();
      await service.stop();
    });

    async function withDrop() {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      const visit = (url: URL, dest: string, headers: Record<string, string> = {}) =>
        cache.get(url.pathname + url.search, {
          headers: { host: url.host, 'user-agent': browser, 'sec-fetch-dest': dest, ...headers },
        });
      const open = () => visit(new URL(`/p/${slug}`, service.url), 'document');
      const frame = async () =>
        new URL(parsePage((await open()).text).find('iframe')?.attributes.src ?? '', service.url);
      const url = await frame();
      const raw = new URL(url.pathname, url);
      /** Since it was asked for last. */
      let before = 0;
      const counted = async () => {
        await views(service);
        const { view_count: total } = (await owner.get(`/api/drops/${slug}`)).body;
        const more = total - before;
        before = total;
        return more;
      };
      expect(await counted()).to.equal(1);
      cache.fills.length = 0;
      return { slug, visit, open, frame, raw, counted };
    }

    it('each viewer page is counted at the origin; their frames cost one fill, and count as none', async () => {
      const { visit, frame, counted } = await withDrop();
      for (let n = 0; n < 5; n++) expect((await visit(await frame(), 'iframe')).status).to.equal(200);
      expect(cache.fills.filter((line) => line.includes('/raw'))).to.have.length(1);
      expect(await counted()).to.equal(5);
      cache.advance(601);
      await visit(await frame(), 'iframe');
      expect(
        cache.fills.filter((line) => line.includes('/raw')),
        'asked again',
      ).to.have.length(2);
      expect(await counted()).to.equal(1);
    });

    it('raw opened by itself counts once a fill, however many see it', async () => {
      const { visit, raw, counted } = await withDrop();
      for (let n = 0; n < 5; n++) expect((await visit(raw, 'document')).status).to.equal(200);
      expect(cache.fills).to.have.length(1);
      expect(await counted()).to.equal(1);
      cache.advance(601);
      for (let n = 0; n < 5; n++) await visit(raw, 'document'); // the first is answered 304
      expect(cache.fills).to.have.length(2);
      expect(await counted()).to.equal(1);
      cache.purge();
      await visit(raw, 'document');
      expect(await counted()).to.equal(1);
    });

    it('a fill for a frame, a program, a prefetch or a bot is none, nor are those who see it then', async () => {
      const { visit, raw, counted } = await withDrop();
      for (const [dest, headers] of [
        ['iframe', {}],
        ['empty', {}],
        ['document', { 'sec-purpose': 'prefetch' }],
        ['document', { 'user-agent': 'Twitterbot/1.0' }],
      ] as const) {
        cache.purge();
        await visit(raw, dest, headers);
        for (let n = 0; n < 3; n++) await visit(raw, 'document');
        expect(await counted(), `${dest} ${JSON.stringify(headers)}`).to.equal(0);
      }
      expect(cache.fills).to.have.length(4);
    });
  });
}

/** Counted until now, and added up. The jobs are left alone: no purger is there to answer them. */
async function views({ services }: TestService): Promise<void> {
  await services.views.flush();
  await services.engine.views.aggregate(services.clock.now());
}
