import { expect } from 'chai';
import type { RequestOptions } from '../support/client.ts';
import { parsePage } from '../support/html.ts';
import { useOwner, useService } from '../support/service.ts';
import { browser } from '../support/visits.ts';

describe('view_count', () => {
  const service = useService();
  const owner = useOwner(service);

  const visit = (path: string, headers: Record<string, string> = {}, options: RequestOptions = {}) =>
    service.get(path, { ...options, headers: { 'user-agent': browser, ...headers } });

  /** The view_count of a new drop after these visits. */
  async function countAfter(
    visits: (slug: string) => Promise<unknown>,
    fields: object = {},
  ): Promise<number> {
    const { owner, slug, updated_at: updated } = await service.newDrop(fields);
    service.clock.advance(1000);
    await visits(slug);
    await service.settle();
    const { body } = await owner.get(`/api/drops/${slug}`);
    expect(body.updated_at, 'views do not change updated_at').to.equal(updated);
    return body.view_count;
  }

  async function frameOf(slug: string): Promise<string> {
    const page = parsePage((await visit(`/p/${slug}`)).text);
    const { pathname, search } = new URL(page.find('iframe')?.attributes.src ?? '', `${service.url}/p/`);
    return pathname + search;
  }

  const document = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
  const frame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' };
  const head = (path: string, headers: object = {}) =>
    service.request('HEAD', path, { headers: { 'user-agent': browser, ...headers } });
  const counted: [
    what: string,
    views: number,
    visits: (slug: string) => Promise<unknown>,
    fields?: object,
  ][] = [
    ['no visit', 0, async () => undefined],
    ['the viewer page', 1, (slug) => visit(`/p/${slug}`)],
    ['the viewer page by navigation', 1, (slug) => visit(`/p/${slug}`, { ...document, accept: 'text/html' })],
    ['the viewer page and its frame', 1, async (slug) => visit(await frameOf(slug), frame)],
    ["the frame's address opened as a page", 1, async (slug) => visit(await frameOf(slug), document)],
    ['the raw page as a top-level page', 1, (slug) => visit(`/p/${slug}/raw`, document)],
    ['a version of the raw page', 1, (slug) => visit(`/p/${slug}/raw?v=1`, document)],
    ['the form of the raw page for the frame', 0, (slug) => visit(`/p/${slug}/raw?framed=1`, document)],
    ['the frame of the release before', 0, (slug) => visit(`/p/${slug}/review`, document)],
    ['the raw page fetched by a program', 0, (slug) => visit(`/p/${slug}/raw`)],
    ['HEAD of the viewer page', 0, (slug) => head(`/p/${slug}`)],
    ['HEAD of the raw page', 0, (slug) => head(`/p/${slug}/raw`, document)],
    ['a version that does not exist', 0, (slug) => visit(`/p/${slug}?v=9`)],
    ['a raw version that does not exist', 0, (slug) => visit(`/p/${slug}/raw?v=9`, document)],
    ['the passcode form', 0, (slug) => visit(`/p/${slug}`), { passcode: 'sesame' }],
    [
      'an unlocked drop',
      1,
      (slug) => service.enter(slug, 'sesame', { headers: { 'user-agent': browser } }), // ends at the viewer page
      { passcode: 'sesame' },
    ],
    ['50 parallel visits', 50, (slug) => Promise.all(Array.from({ length: 50 }, () => visit(`/p/${slug}`)))],
    [
      'the raw page, and again with 304',
      2,
      async (slug) => {
        const { etag = '' } = (await visit(`/p/${slug}/raw`, document)).headers;
        const again = await visit(`/p/${slug}/raw`, { ...document, 'if-none-match': etag });
        expect(again.status).to.equal(304);
      },
    ],
    ...['image', 'empty', 'script', 'style', 'iframe', 'object', 'audio', 'serviceworker'].map(
      (dest): [string, number, (slug: string) => Promise<unknown>] => {
        const headers = { 'sec-fetch-dest': dest, 'sec-fetch-site': 'cross-site' };
        return [`the viewer page as Sec-Fetch-Dest: ${dest}`, 0, (slug) => visit(`/p/${slug}?x=1`, headers)];
      },
    ),
    ...['iframe', 'empty', 'embed', 'image'].map(
      (dest): [string, number, (slug: string) => Promise<unknown>] => [
        `the raw page as Sec-Fetch-Dest: ${dest}`,
        0,
        (slug) => visit(`/p/${slug}/raw`, { 'sec-fetch-dest': dest }),
      ],
    ),
    ...[
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
      ['user-agent', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
      ['user-agent', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
      ['user-agent', 'facebookexternalhit/1.1'],
      ['user-agent', 'Twitterbot/1.0'],
    ].map(([name = '', value = '']): [string, number, (slug: string) => Promise<unknown>] => [
      `the viewer page and the raw page with ${name}: ${value}`,
      0,
      async (slug) => {
        await visit(`/p/${slug}`, { [name]: value });
        await visit(`/p/${slug}/raw`, { ...document, [name]: value });
      },
    ]),
  ];
  for (const [what, views, visits, fields] of counted) {
    it(`${what}: ${views}`, async () => {
      expect(await countAfter(visits, fields)).to.equal(views);
    });
  }

  it('the API reads of the owner: 0', async () => {
    const { slug } = await owner.create();
    await owner.get(`/api/drops/${slug}`);
    await owner.get(`/api/drops/${slug}/v/1`);
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });

  it('rises with later visits, over midnight and a restart', async () => {
    const { slug } = await owner.create();
    for (const expected of [1, 2, 3]) {
      await visit(`/p/${slug}`);
      if (expected === 3) await service.restart();
      await service.settle();
      await service.settle();
      expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(expected);
      service.clock.advance(12 * 3_600_000);
    }
  });
});
